package stet.markup;

import java.util.List;
import java.util.Random;

/** Generates emails of all constructs of Handlebars, with odd spacing, and breaks about half of them. */
final class OddEmails {
    /** Each name has a value in {@link #DATA}, and in the values of all sections. */
    static final String DATA = data();
    private static final List<String> NAMES = List.of("a", "b", "list", "user", "yes", "no", "n", "größe", "first name");
    private static final List<String> PIECES = List.of("{", "}", "{{", "}}", "{{{", "}}}", "{{{{", "}}}}", "~", "#", "^", "/", ">", "&", "!", "*", "=", "|", "\"", "'",
            "[", "]", "(", ")", ".", "..", "@", " ", "\n", "\r\n", "\\", "\\\\", "else", "{{else}}", "{{^}}", "{{else if a}}", " as |x|", "this", "0", "-1", "1.5", "true", "null", "undefined",
            "a=1", " a", " (f b)", "--", "{{!--", "--}}", "é", "\u00a0", "\u200b", "<b>", ";", "%", ",", "`", "$", "?", ":", "-", "_x", "{{/if}}", "{{/a}}", "{{#if a}}", "{{> a}}", "\0",
            "{{#*inline \"p\"}}", "{{/inline}}", "{{{{/raw}}}}", "{{{{raw}}}}", "|", "{{ ", " }}", "{{#>", "undefined}}", "{{a}}", "{{a}}}", "else-x", "as", "x=", "&nbsp;", "\u2028", "😀", "{{=<% %>=}}");
    private final Random random;
    private final StringBuilder text = new StringBuilder();

    OddEmails(long seed) {
        this.random = new Random(seed);
    }

    private static String data() {
        String row = "\"a\":\"A & <b>\",\"b\":\"{{a}}\",\"yes\":true,\"no\":false,\"n\":0,\"größe\":1.5,\"first name\":\"Ada\"";
        String user = "{" + row + ",\"list\":[],\"user\":null}";
        String item = "{" + row + ",\"list\":[" + user + "],\"user\":" + user + "}";
        return "{" + row + ",\"list\":[" + item + "," + item + "],\"user\":" + item + "}";
    }

    /** The next email. */
    String next() {
        text.setLength(0);
        body(0, false);
        int mutations = random.nextInt(2) * (1 + random.nextInt(3));
        for (int i = 0; i < mutations; i++) {
            mutate();
        }
        return text.toString();
    }

    private void mutate() {
        int at = random.nextInt(text.length() + 1);
        if (random.nextBoolean()) { // at a tag
            int tag = text.indexOf(random.nextBoolean() ? "{{" : "}}", at);
            at = tag < 0 ? at : Math.min(text.length(), tag + random.nextInt(4));
        }
        int to = Math.min(text.length(), at + 1 + random.nextInt(4));
        switch (random.nextInt(5)) {
            case 0 -> text.delete(at, to);
            case 1 -> text.insert(at, text.substring(at, Math.min(text.length(), at + random.nextInt(20))));
            case 2 -> text.replace(at, to, any(PIECES));
            default -> text.insert(at, any(PIECES));
        }
    }

    private String any(String... words) {
        return words[random.nextInt(words.length)];
    }

    private String any(List<String> words) {
        return words.get(random.nextInt(words.size()));
    }

    private String space() {
        return random.nextInt(4) > 0 ? "" : any(" ", "  ", "\n", "\t", "\u00a0", "\r\n");
    }

    private String gap() {
        return random.nextInt(5) > 0 ? " " : any("  ", "\n", "\t ", "\u00a0");
    }

    private String tilde() {
        return random.nextInt(8) == 0 ? "~" : "";
    }

    private void tag(String sign, String content) {
        text.append("{{").append(tilde()).append(sign).append(space()).append(content).append(space()).append(tilde()).append("}}");
    }

    private void body(int depth, boolean isInline) {
        for (int i = random.nextInt(depth == 0 ? 5 : 3); i >= 0; i--) {
            text.append(any("", "", "x", "<p>", "\n", "\n  ", " \n", "\r\n", "é😀 ", "\\\\", " } ", "{ ", "<!-- -->", "a\\b "));
            statement(depth, isInline);
        }
        text.append(any("", "", "\n", "</p>"));
    }

    private void statement(int depth, boolean isInline) {
        int kind = random.nextInt(depth > 3 ? 8 : 15);
        switch (kind) {
            case 0, 1, 2 -> tag(any("", "", "", "&"), value());
            case 3 -> {
                String tilde = tilde();
                text.append("{{").append(tilde).append("{").append(space()).append(value()).append(space()).append("}").append(tilde).append("}}");
            }
            case 4 -> text.append(any("{{! note }}", "{{!-- {{a}} --}}", "{{~! x ~}}", "{{!}}", "{{!--}}", "{{!-- a --~}}", "{{! a }}}"));
            case 5 -> text.append(any("\\{{a}} ", "\\{{{a}} ", "\\\\{{a}}", "\\{{#if a}} ", "\\\\\\{{a}}"));
            case 6 -> partial(isInline);
            case 7 -> tag("", any("f", "format") + gap() + arguments(0));
            case 8 -> raw();
            case 9 -> inline(depth);
            case 10 -> partialBlock(depth, isInline);
            case 11 -> inverted(depth, isInline);
            case 12 -> tag("*", any("f", "f a", "\"x\" a=1"));
            default -> section(depth, isInline);
        }
    }

    private String name() {
        String name = any(NAMES);
        return name.contains(" ") || random.nextInt(8) == 0 ? "[" + name + "]" : name;
    }

    private String path() {
        return switch (random.nextInt(14)) {
            case 0 -> "this";
            case 1 -> ".";
            case 2 -> "this" + any(".", "/") + name();
            case 3 -> "./" + name();
            case 4 -> "@root" + any(".", "/") + name();
            case 5 -> "@" + any("index", "key", "first", "last");
            case 6 -> "user" + space() + any(".", "/") + name();
            case 7 -> "list.[0]" + any(".", "/") + name();
            case 8 -> "list.length";
            default -> name();
        };
    }

    private String value() {
        return switch (random.nextInt(10)) {
            case 0 -> any("\"a\"", "'b'", "\"first name\"", "'größe'");
            case 1 -> "lookup" + gap() + any("user", "this", "@root") + gap() + any("\"a\"", "'first name'", "\"n\"");
            case 2 -> any("user..", "a..b", "list.0.a", "a.b.c", "12", "true", "-x", "else1", "1a", "user.[this]", "xthis", "@../index");
            default -> path();
        };
    }

    private String argument(int depth) {
        return switch (random.nextInt(depth > 2 ? 7 : 9)) {
            case 0 -> any("\"x\"", "'}}'", "\"{{\"", "'it\\'s'", "\"\"", "\"a\\\"b\"");
            case 1 -> any("1", "-1.5", "true", "false", "null", "undefined", "0");
            case 7, 8 -> "(" + space() + any("f", "lookup", "eq") + gap() + arguments(depth + 1) + space() + ")";
            default -> path();
        };
    }

    private String arguments(int depth) {
        StringBuilder arguments = new StringBuilder(argument(depth));
        for (int i = random.nextInt(3); i > 0; i--) {
            arguments.append(gap()).append(argument(depth));
        }
        for (int i = random.nextInt(2); i > 0; i--) {
            arguments.append(gap()).append(any("k", "[k k]", "this", "true", "..", "a")).append(space().isEmpty() ? "=" : " = ").append(argument(depth));
        }
        return arguments.toString();
    }

    private void partial(boolean isInline) {
        String name = any("p", "q", "'p'", "[q]", "\"p\"");
        tag(">", isInline && random.nextInt(4) == 0 ? "@partial-block" : name + (random.nextInt(3) > 0 ? "" : any(" user", " this", " a=1", " user a=b", " list.[0] k=\"x\"")));
    }

    private void inline(int depth) {
        tag("#*", any("inline \"p\"", "inline 'q'", "inline \"p\" a=1", "inline  'q' as |x|"));
        body(depth + 1, true);
        tag("/", "inline");
    }

    private void partialBlock(int depth, boolean isInline) {
        String name = any("p", "q", "none");
        tag("#>", name + any("", "", " user", " a=1"));
        body(depth + 1, isInline);
        tag("/", name);
    }

    private void raw() {
        text.append(any("{{{{raw}}}} {{a}} {{{{/raw}}}}", "{{{{raw a b=1}}}}{{{{x}}}}{{{{/x}}}}{{{{/raw}}}}", "{{{{[r]}}}} { {{{{/r a}}}} {{{{/r}}}}", "{{{{ raw }}}}}{{{{/raw}}}}"));
    }

    private void inverted(int depth, boolean isInline) {
        String name = any("a", "no", "list", "user", "this.yes", "if yes");
        tag("^", name);
        body(depth + 1, isInline);
        if (random.nextBoolean()) {
            otherwise();
            body(depth + 1, isInline);
        }
        tag("/", name.startsWith("if") ? "if" : name);
    }

    private void otherwise() {
        text.append(any("{{else}}", "{{^}}", "{{~else~}}", "{{ else }}", "{{^ ~}}", "{{else}}}"));
    }

    private void section(int depth, boolean isInline) {
        String name = open("#");
        body(depth + 1, isInline);
        while (random.nextInt(4) == 0) {
            open(any("else ", " else "));
            body(depth + 1, isInline);
        }
        if (random.nextInt(3) == 0) {
            otherwise();
            body(depth + 1, isInline);
        }
        tag("/", name);
    }

    /** Writes a section's tag. @return the name that closes it */
    private String open(String sign) {
        String helper = any("if", "if", "unless", "each", "each", "with", "list", "user", "user.list", "[first name]", "\"yes\"", "f");
        switch (helper) {
            case "if", "unless" -> tag(sign, helper + gap() + path());
            case "each" -> tag(sign, helper + gap() + any("list", "user", "this.list", "../list", "@root.list") + any("", "", " as |x|", " as |x i|", "\nas  | x  i |"));
            case "with" -> tag(sign, helper + gap() + any("user", "list.[0]", "this") + any("", "", " as |x|"));
            case "f" -> tag(sign, helper + gap() + arguments(0));
            default -> tag(sign, helper);
        }
        return helper;
    }
}
