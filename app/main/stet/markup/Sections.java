package stet.markup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * Finds sections that are not closed, and tags that close no section or one of another name. The first faults found are
 * kept, as many as can be listed, in the order of their places; the others are only counted.
 */
final class Sections {
    private final List<Fault> faults = new ArrayList<>();
    private int more;

    /** @param place of the tag in the text, in chars */
    record Fault(int place, String sentence) {
    }

    Sections(String text) {
        Deque<Tag> open = new ArrayDeque<>();
        for (Tag tag : Tag.in(text)) {
            switch (tag.kind()) {
                case OPEN, PARTIAL_BLOCK -> open.push(tag);
                case CLOSE -> close(tag, open.poll());
                case ELSE -> {
                    if (open.isEmpty()) {
                        fault(tag, " stands in no section", null);
                    }
                }
                default -> { }
            }
        }
        open.descendingIterator().forEachRemaining(tag -> fault(tag, " is not closed", null));
        faults.sort(Comparator.comparingInt(Fault::place));
    }

    List<Fault> faults() {
        return faults;
    }

    int more() {
        return more;
    }

    private void close(Tag tag, Tag open) {
        if (open == null) {
            fault(tag, " closes no section", null);
        } else if (!open.isClosedBy(tag)) {
            fault(tag, " closes ", open);
        }
    }

    private void fault(Tag tag, String words, Tag other) {
        if (faults.size() == Problems.MAX_LISTED) {
            more++;
        } else {
            faults.add(new Fault(tag.start(), tag.quoted() + words + (other == null ? "" : other.quoted())));
        }
    }
}
