package stet.markup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/** Finds sections that are not closed, and what closes none or one of another name. */
final class Sections {
    private final List<Fault> faults = new ArrayList<>();

    /** @param place in the text, in chars */
    record Fault(int place, String sentence) {
    }

    private Sections() {
    }

    /** The faults of a text by their place; of very many the first found, and null for each of the others. */
    static List<Fault> faults(String text) {
        Sections sections = new Sections();
        Deque<Tag> open = new ArrayDeque<>();
        for (Tag tag : Tag.in(text)) {
            switch (tag.kind()) {
                case OPEN, WRAP -> open.push(tag);
                case CLOSE -> sections.close(tag, open.poll());
                case ELSE -> {
                    if (open.isEmpty()) {
                        sections.fault(tag, " stands in no section");
                    }
                }
                default -> { }
            }
        }
        open.descendingIterator().forEachRemaining(tag -> sections.fault(tag, " is not closed"));
        sections.faults.sort(Comparator.nullsLast(Comparator.comparingInt(Fault::place)));
        return sections.faults;
    }

    private void close(Tag tag, Tag open) {
        if (open == null) {
            fault(tag, " closes no section");
        } else if (!open.isClosedBy(tag)) {
            fault(tag, isFull() ? "" : " closes " + open.quoted());
        }
    }

    private void fault(Tag tag, String words) {
        faults.add(isFull() ? null : new Fault(tag.start(), tag.quoted() + words));
    }

    private boolean isFull() {
        return faults.size() >= Problems.LISTED;
    }
}
