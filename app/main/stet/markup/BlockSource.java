package stet.markup;

import java.util.Iterator;
import stet.base.Utf8;

/** A shared block, or the draft, while {@link Publisher} expands it. */
final class BlockSource {
    /** The block's name; null for the draft. */
    final String block;
    final String text;
    /** The tags that are still to be read. */
    final Iterator<Tag> tags;
    final LineNumbers lines;
    /** Maps positions in the expanded text to this source. */
    final SourceMap map = new SourceMap();
    final Partials partials;
    /** The tag that is being read. */
    Tag tag;
    /** Size of the expanded text in bytes, even if the text is too long to build. */
    long bytes;
    /** End of the part of the text that was copied into {@link #whole} or replaced there. */
    int copied;
    /** The expanded text so far; null once all tags are read. */
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

    /** Completes {@link #expanded}. */
    void end() {
        expanded = copied == 0 ? text : whole.append(text, copied, text.length()).toString();
        whole = null;
    }
}
