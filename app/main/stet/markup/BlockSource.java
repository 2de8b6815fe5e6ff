package stet.markup;

import java.util.Iterator;
import stet.base.Utf8;

/** A shared block, or the draft, which has no name, while {@link Publisher} expands it. */
final class BlockSource {
    final String block;
    final String text;
    final Iterator<Tag> tags;
    final LineNumbers lines;
    /** Maps positions in the expanded text to this source. */
    final SourceMap map = new SourceMap();
    final Partials partials;
    Tag tag;
    /** Size of the expanded text in bytes, even if the text is too long to build. */
    long bytes;
    int copied;
    StringBuilder whole = new StringBuilder();
    /** The expanded text; null until all tags are read. */
    String expanded;

    BlockSource(String block, String text) {
        this.block = block;
        this.text = text;
        this.tags = Tag.in(text).iterator();
        this.lines = new LineNumbers(text);
        this.partials = Partials.in(text);
        this.bytes = Utf8.length(text, 0, text.length());
    }

    void end() {
        expanded = copied == 0 ? text : whole.append(text, copied, text.length()).toString();
        whole = null;
    }
}
