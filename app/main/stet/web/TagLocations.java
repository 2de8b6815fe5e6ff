package stet.web;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import stet.markup.LineNumbers;
import stet.markup.Tag;
import stet.markup.Variables;

/** Where in a draft some variables and its shared blocks stand: the first places, and how many more there are. */
final class TagLocations {
    /** Places and shared blocks that are listed, at most. */
    private static final int LISTED = 1_000;

    private final Map<String, Found> variables = new HashMap<>();
    private final Map<String, Integer> blocks = new LinkedHashMap<>();
    private int listed;

    /** @param line counted from 1 */
    record Place(String field, int line) {
    }

    /** The places of one variable; none is listed for one that comes from a shared block. */
    static final class Found {
        final List<Place> first = new ArrayList<>();
        int more;
    }

    private TagLocations() {
    }

    static TagLocations of(List<String> names, String subject, String html) {
        TagLocations places = new TagLocations();
        names.forEach(name -> places.variables.put(name, new Found()));
        places.read("subject", subject);
        places.read("html", html);
        return places;
    }

    private void read(String field, String text) {
        LineNumbers lines = new LineNumbers(text);
        Variables.read(text, new Variables.Listener() {
            @Override
            public void asks(String name, Tag tag) {
                Found found = variables.get(name);
                if (found != null && listed < LISTED) {
                    found.first.add(new Place(field, lines.of(tag.start())));
                    listed++;
                } else if (found != null) {
                    found.more++;
                }
            }

            @Override
            public void tag(Tag tag) {
                if (tag.kind() == Tag.Kind.BLOCK && blocks.size() < LISTED) {
                    blocks.putIfAbsent(tag.words(), lines.of(tag.start()));
                }
            }
        });
    }

    Found of(String name) {
        return variables.get(name);
    }

    /** With the line where each stands first. */
    Map<String, Integer> blocks() {
        return blocks;
    }
}
