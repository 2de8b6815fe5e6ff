package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import stet.base.Json;

/** Templates with test data for comparing previews with Handlebars. */
final class Handlebars {
    /** @param data a JSON object */
    record Case(String template, String data) {
        ObjectNode json() {
            return (ObjectNode) Json.tree(data);
        }
    }

    private Handlebars() {
    }

    /** Reads cases from a file: one template per line; a line that starts with an equals sign sets the data for those after it. */
    static List<Case> read(String file) {
        List<Case> cases = new ArrayList<>();
        String data = "{}";
        for (String line : file.lines().toList()) {
            if (line.startsWith("= ")) {
                data = line.substring(2);
            } else if (!line.startsWith("# ")) {
                cases.add(new Case(line.replace('\u23ce', '\n').replace('\u240d', '\r').replace('\u21e5', '\t'), data));
            }
        }
        return cases;
    }

    /** Generates valid templates, and data that contains all their top-level variables. */
    static final class Generator {
        private static final List<String> SPACES = List.of("", "", "", " ", "\n", "\n", "\r\n", "  ", "\n  ", " \n", "x", "x\n", "<b>", "\n\n", "\\\\", "\\{{@root.text}} ");
        private final Random random;
        private final StringBuilder template = new StringBuilder();

        Generator(long seed) {
            this.random = new Random(seed);
        }

        Case next() {
            template.setLength(0);
            body(0, false);
            return new Case(template.toString(), new String(Json.write(data()), StandardCharsets.UTF_8));
        }

        private String any(String... words) {
            return words[random.nextInt(words.length)];
        }

        private String tilde() {
            return random.nextInt(6) == 0 ? "~" : "";
        }

        private void space() {
            template.append(SPACES.get(random.nextInt(SPACES.size())));
        }

        private void tag(String words) {
            template.append("{{").append(tilde()).append(words).append(tilde()).append("}}");
        }

        /** @param isInner whether the body is in a section over test data, where missing names render as empty */
        private void body(int depth, boolean isInner) {
            space();
            for (int i = random.nextInt(depth == 0 ? 4 : 2); i >= 0; i--) {
                switch (random.nextInt(depth > 2 ? 3 : 5)) {
                    case 0 -> tag(value(isInner));
                    case 1 -> template.append("{").append("{").append(tilde()).append(any("! note ", "!-- {{x}} --")).append(tilde()).append("}}");
                    case 2 -> space();
                    default -> section(depth, isInner);
                }
                space();
            }
        }

        private String value(boolean isInner) {
            return isInner ? any("this", "this.n", "./n", "this.title", "../text", "@root.text", "@index", "@key", "@first", "@last", "../../text", "@../index", "this.length")
                    : any("text", "this.text", "zero", "no", "list.length", "user.name", "list", "number", "./text", "@index");
        }

        private String condition(boolean isInner) {
            return isInner ? any("this", "this.title", "this.n", "@first", "@last", "@index", "../yes", "this.rows") : any("yes", "no", "zero", "text", "empty", "none", "list", "nil", "hollow");
        }

        private void section(int depth, boolean isInner) {
            if (random.nextInt(8) == 0) {
                String name = any("yes", "no", "nil", "list", "none");
                String path = isInner ? "@root." + name : name;
                tag("^" + path);
                body(depth + 1, isInner);
                if (random.nextBoolean()) {
                    tag("else");
                    body(depth + 1, isInner || name.equals("list"));
                }
                tag("/" + path);
                return;
            }
            String close = open("#", depth, isInner);
            while (random.nextInt(3) == 0) {
                open("else ", depth, isInner);
            }
            if (random.nextInt(3) == 0) {
                tag(any("else", "^"));
                body(depth + 1, isInner);
            }
            tag("/" + close);
        }

        private String open(String sign, int depth, boolean isInner) {
            String helper = any("if", "if", "unless", "each", "with", "");
            switch (helper) {
                case "if", "unless" -> {
                    tag(sign + helper + " " + condition(isInner));
                    body(depth + 1, isInner);
                    return helper;
                }
                case "each" -> {
                    tag(sign + "each " + (isInner ? any("this.rows", "this", "../list", "@root.list") : any("list", "none", "user", "top", "words", "hollow"))
                            + any("", "", " as |v k|"));
                    body(depth + 1, true);
                    return "each";
                }
                case "with" -> {
                    tag(sign + "with " + (isInner ? any("this", "this.rows.[0]", "@root.user") : any("user", "none", "zero", "list")));
                    body(depth + 1, true);
                    return "with";
                }
                default -> {
                    String name = isInner ? any("this.rows", "./rows", "@root.user") : any("list", "user", "none", "top", "nil", "words");
                    tag(sign + name);
                    body(depth + 1, true);
                    return name;
                }
            }
        }

        private ObjectNode data() {
            ObjectNode data = Json.object().put("text", any("Ada", "a & <b>", "'\"`=")).put("yes", true).put("no", false).put("zero", 0).put("empty", "")
                    .put("number", random.nextInt(3) == 0 ? random.nextDouble() * Math.pow(10, random.nextInt(50) - 25) : random.nextInt(100)).putNull("nil");
            data.putArray("none");
            data.putObject("hollow");
            data.putObject("user").put("name", "Grace").put("title", "Dr").putArray("rows").addObject().put("n", 1);
            words(data.putArray("words"));
            ArrayNode list = data.putArray("list");
            for (int i = random.nextInt(3); i >= 0; i--) {
                row(list.addObject(), 0);
            }
            ArrayNode top = data.putArray("top");
            row(top.addObject(), 1);
            return data;
        }

        private void words(ArrayNode words) {
            for (int i = random.nextInt(3); i >= 0; i--) {
                words.add("w" + i);
            }
        }

        private void row(ObjectNode row, int depth) {
            if (random.nextBoolean()) {
                row.put("title", any("Tea", "", "Milk & more"));
            }
            row.put("n", random.nextInt(3));
            if (depth < 3 && random.nextBoolean()) {
                ArrayNode rows = row.putArray("rows");
                for (int i = random.nextInt(3); i > 0; i--) {
                    row(rows.addObject(), depth + 1);
                }
            }
        }
    }

    /** Cases as JSON for a script: arrays of template and data. */
    static String json(List<Case> cases) {
        JsonNode[] rows = cases.stream().map(each -> {
            ArrayNode row = Json.object().arrayNode();
            return (JsonNode) row.add(each.template()).add(each.json());
        }).toArray(JsonNode[]::new);
        return new String(Json.write(rows), StandardCharsets.UTF_8);
    }
}
