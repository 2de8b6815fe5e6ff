package stet.web;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import stet.core.Tag;
import stet.core.Variables;

/** Where in a draft its variables and shared blocks stand. */
record Places(Map<String, List<Place>> variables, Map<String, Integer> blocks) {

    /** @param line counted from 1 */
    record Place(String field, int line) {
    }

    static Places of(String subject, String html) {
        Places places = new Places(new LinkedHashMap<>(), new LinkedHashMap<>());
        places.read("subject", subject);
        places.read("html", html);
        return places;
    }

    private void read(String field, String text) {
        int line = 1;
        int counted = 0;
        for (Tag tag : Tag.in(text)) {
            for (; counted < tag.start(); counted++) {
                line += text.charAt(counted) == '\n' ? 1 : 0;
            }
            if (tag.kind() == Tag.Kind.BLOCK) {
                blocks.putIfAbsent(tag.words(), line);
            }
            for (String name : Variables.in("", text.substring(tag.start(), tag.end()))) {
                variables.computeIfAbsent(name, any -> new ArrayList<>()).add(new Place(field, line));
            }
        }
    }

    /** Empty for a variable that comes from a shared block. */
    List<Place> of(String name) {
        return variables.getOrDefault(name, List.of());
    }
}
