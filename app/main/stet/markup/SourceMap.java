package stet.markup;

import java.util.ArrayList;
import java.util.List;

/** Maps positions in expanded HTML to the draft or its shared blocks. */
public final class SourceMap {
    private final List<Include> includes = new ArrayList<>();

    /** A tag that includes a block, and the block's range in the expanded HTML. */
    private record Include(Tag tag, int from, int to) {
    }

    /** Adds a block that the draft includes. Blocks must be added in order of position. */
    void include(Tag tag, int from, int to) {
        includes.add(new Include(tag, from, to));
    }

    /**
     * The draft's tag that included the text at this offset of the expanded HTML, directly or through nested blocks; null for the
     * draft's own text.
     */
    Tag block(int place) {
        Include before = lastBefore(place);
        return before != null && place < before.to ? before.tag : null;
    }

    /** Converts a position inside a block to an offset in the block's expanded text. */
    int inBlock(int place) {
        return place - lastBefore(place).from;
    }

    /** Maps a position outside all blocks to the draft. */
    int draft(int place) {
        Include before = lastBefore(place);
        return before == null ? place : place - before.to + before.tag.end();
    }

    /** End of the block that contains a position; outside blocks, the start of the next block, or {@link Integer#MAX_VALUE} if none follows. */
    int end(int place) {
        if (block(place) != null) {
            return lastBefore(place).to;
        }
        int next = next(place);
        return next < includes.size() ? includes.get(next).from : Integer.MAX_VALUE;
    }

    /** The last block that begins at or before a position, or null. */
    private Include lastBefore(int place) {
        int next = next(place);
        return next == 0 ? null : includes.get(next - 1);
    }

    /** Index of the first block that begins after a position. */
    private int next(int place) {
        int from = 0;
        int to = includes.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (includes.get(middle).from <= place) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }
}
