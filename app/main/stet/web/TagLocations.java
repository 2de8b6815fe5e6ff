package stet.web;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import stet.markup.LineNumbers;
import stet.markup.Tag;
import stet.markup.Variables;

/** The places of variables and shared blocks in a draft: the first of them, and a count of the others. */
final class TagLocations {
    /** Places of all variables together that are listed, at most, and shared blocks. */
    private static final int MAX_LISTED = 1_000;

    private final Map<String, List<Place>> variables = new HashMap<>();
    private final Map<String, Integer> more = new HashMap<>();
    private final Map<String, Integer> blocks = new LinkedHashMap<>();
    private int listed;

    /** @param line counted from 1 */
    record Place(String field, int line) {
    }

    /** @param variables the names to look for */
    TagLocations(List<String> variables, String subject, String html) {
        variables.forEach(name -> this.variables.put(name, new ArrayList<>()));
        read("subject", subject);
        read("html", html);
    }

    private void read(String field, String text) {
        LineNumbers lines = new LineNumbers(text);
        Variables.read(text, new Variables.Listener() {
            @Override
            public void asks(String name, Tag tag) {
                List<Place> places = variables.get(name);
                if (places != null && listed < MAX_LISTED) {
                    places.add(new Place(field, lines.of(tag.start())));
                    listed++;
                } else if (places != null) {
                    more.merge(name, 1, Integer::sum);
                }
            }

            @Override
            public void tag(Tag tag) {
                if (tag.kind() == Tag.Kind.BLOCK && blocks.size() < MAX_LISTED) {
                    blocks.putIfAbsent(tag.words(), lines.of(tag.start()));
                }
            }
        });
    }

    /** The listed places of a variable: none of one that only a shared block asks for. */
    List<Place> of(String variable) {
        return variables.get(variable);
    }

    /** How many places of a variable are not listed. */
    int more(String variable) {
        return more.getOrDefault(variable, 0);
    }

    /** Shared blocks, each with the line of its first place. */
    Map<String, Integer> blocks() {
        return blocks;
    }
}
