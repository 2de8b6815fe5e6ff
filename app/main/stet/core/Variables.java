package stet.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names a text asks the caller for (spec.md, Resources: {@code variables}): wherever they stand in it, each once,
 * in order of first appearance.
 *
 * <p>Understood are Mustache and the built-in and custom helpers of Handlebars: of a tag with several words the first
 * is a helper's name, the others are names unless they are literals. Not a name: {@code .}, {@code this}, {@code else},
 * {@code @index}, and what a section itself declares with {@code as |item|}.
 */
public final class Variables {
    private static final Pattern TOKEN = Pattern.compile("\"[^\"]*\"|'[^']*'|[()|=]|[^\\s()|=\"']+");
    private static final Pattern NAME = Pattern.compile("[\\p{L}_$][\\p{L}\\p{M}\\p{N}_$.:\\[\\]-]*");
    private static final Pattern CONTEXT = Pattern.compile("\\G(?:this[./]|\\.\\./|\\./|@root\\.)");
    private static final Set<String> WORDS =
            Set.of("this", "else", "each", "if", "unless", "with", "as", "true", "false", "null", "undefined");

    private final Set<String> names = new LinkedHashSet<>();
    /** What each open section declares, the innermost first, and in how many of them each name is declared. */
    private final Deque<Set<String>> sections = new ArrayDeque<>();
    private final Map<String, Integer> declared = new HashMap<>();

    private Variables() {
    }

    /** The names in a subject and then an html whose blocks are expanded. */
    public static List<String> in(String subject, String html) {
        Variables variables = new Variables();
        variables.read(subject);
        variables.read(html);
        return List.copyOf(variables.names);
    }

    private void read(String text) {
        sections.clear();
        declared.clear();
        for (Tag tag : Tag.in(text)) {
            switch (tag.kind()) {
                case VALUE -> value(tokens(tag.words()));
                case OPEN -> open(tokens(tag.words()));
                case CLOSE -> close();
                default -> { }
            }
        }
    }

    private void value(List<String> tokens) {
        if (!tokens.isEmpty() && tokens.get(0).equals("else")) {
            names(tokens.subList(1, tokens.size()));
        } else {
            names(tokens);
        }
    }

    private void open(List<String> tokens) {
        names(tokens);
        int as = tokens.indexOf("as");
        Set<String> own = as > 0 ? Set.copyOf(tokens.subList(as + 1, tokens.size())) : Set.of();
        own.forEach(name -> declared.merge(name, 1, Integer::sum));
        sections.push(own);
    }

    private void close() {
        if (!sections.isEmpty()) {
            sections.pop().forEach(name -> declared.merge(name, -1, (open, one) -> open == 1 ? null : open - 1));
        }
    }

    /** The words of one tag: a name alone, or a helper and what it is given. */
    private void names(List<String> all) {
        List<String> tokens = given(all);
        for (int i = 0; i < tokens.size(); i++) {
            boolean helper = i == 0 && tokens.size() > 1 || i > 0 && tokens.get(i - 1).equals("(");
            boolean key = i + 1 < tokens.size() && tokens.get(i + 1).equals("=");
            if (!helper && !key) {
                name(tokens.get(i));
            }
        }
    }

    /** The words up to {@code as |item|}, or up to a filter: {@code name | upcase}. */
    private static List<String> given(List<String> tokens) {
        for (int i = 1; i < tokens.size(); i++) {
            if (tokens.get(i).equals("as") || tokens.get(i).equals("|")) {
                return tokens.subList(0, i);
            }
        }
        return tokens;
    }

    private void name(String token) {
        String name = plain(token);
        String first = name.split("[.\\[]", 2)[0];
        boolean own = name.equals(token) && declared.containsKey(first);
        if (!own && NAME.matcher(name).matches() && !WORDS.contains(name)) {
            names.add(name);
        }
    }

    /** A name without what says where it is looked for: {@code this.}, {@code ../}. */
    static String plain(String name) {
        return CONTEXT.matcher(name).replaceAll("");
    }

    private static List<String> tokens(String words) {
        List<String> tokens = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(words);
        while (matcher.find()) {
            tokens.add(matcher.group());
        }
        return tokens;
    }
}
