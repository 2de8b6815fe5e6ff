package stet.markup;

import java.util.ArrayList;
import java.util.List;

/** The places of an expanded html in the draft that it was made from, or in the shared blocks that the draft takes in. */
public final class SourceMap {
    private final List<Include> includes = new ArrayList<>();

    /** @param from where the block of a tag of the draft begins in the expanded html, up to {@code to} */
    private record Include(Tag tag, int from, int to) {
    }

    /** Adds the next block of the draft; they come in their order. */
    void include(Tag tag, int from, int to) {
        includes.add(new Include(tag, from, to));
    }

    /** The draft's own tag whose block has a place of the expanded html, at any depth; null for a place of the draft itself. */
    Tag block(int place) {
        Include before = lastBefore(place);
        return before != null && place < before.to ? before.tag : null;
    }

    /** The place in that block, as it is when its own blocks are in it. */
    int inBlock(int place) {
        return place - lastBefore(place).from;
    }

    /** Where a place of the expanded html that is in no block stands in the draft. */
    int draft(int place) {
        Include before = lastBefore(place);
        return before == null ? place : place - before.to + before.tag.end();
    }

    /** Where the part that a place is in ends: the block's, or the draft's before its next block. */
    int end(int place) {
        int next = next(place);
        return next > 0 && place < includes.get(next - 1).to ? includes.get(next - 1).to
                : next < includes.size() ? includes.get(next).from : Integer.MAX_VALUE;
    }

    /** The last block that begins at a place or before; null for none. */
    private Include lastBefore(int place) {
        int next = next(place);
        return next == 0 ? null : includes.get(next - 1);
    }

    /** Number of the first block that begins behind a place. */
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
