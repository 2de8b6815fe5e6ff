package stet.markup;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the colour in a CSS value such as {@code 1px solid #e1e4ea} or {@code url(red.png) navy}. */
final class CssColour {
    /** Groups: a colour, a Handlebars tag, a word. Addresses, gradients and strings are skipped as a whole. */
    private static final Pattern PARTS = Pattern.compile("url\\([^)]*\\)|[\\w-]*gradient\\((?:[^()]++|\\([^()]*+\\))*+\\)?|\"[^\"]*\"|'[^']*'"
            + "|(#[0-9a-f]{3,8}\\b|(?:rgb|hsl)a?\\([^)]*\\))|(\\{\\{[^{}]*}})|(?<![\\w-])([a-z]+)(?![\\w(-])", Pattern.CASE_INSENSITIVE);
    /** Named colours (CSS Color 4, 6.1), without {@code transparent}. */
    private static final Set<String> NAMES = Set.of(("aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown "
            + "burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray darkgreen "
            + "darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray "
            + "darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia "
            + "gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew hotpink indianred indigo ivory khaki lavender lavenderblush "
            + "lawngreen lemonchiffon lightblue lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon "
            + "lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon "
            + "mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise "
            + "mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid "
            + "palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple red rosybrown "
            + "royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue slategray slategrey snow springgreen "
            + "steelblue tan teal thistle tomato turquoise violet wheat white whitesmoke yellow yellowgreen").split(" "));

    private CssColour() {
    }

    /** The place of the first colour or, without one, of the first tag, whose value may be a colour. */
    static Optional<MatchResult> find(String value) {
        MatchResult tag = null;
        Matcher parts = PARTS.matcher(value);
        while (parts.find()) {
            if (parts.group(1) != null || parts.group(3) != null && NAMES.contains(parts.group(3).toLowerCase(Locale.ROOT))) {
                return Optional.of(parts.toMatchResult());
            }
            tag = tag == null && parts.group(2) != null ? parts.toMatchResult() : tag;
        }
        return Optional.ofNullable(tag);
    }
}
