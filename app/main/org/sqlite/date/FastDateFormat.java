package org.sqlite.date;

import java.util.Date;
import java.util.TimeZone;

/**
 * A stub for the SQLite driver's class of this name, which the driver requests for each connection to convert dates to and from text. Stet
 * stores times as numbers and never converts them, but the original loads the JDK's locale data: 27 ms of the start of {@code serve} (a tenth)
 * and 36 ms of each command. Not part of the test double's library, because the app under test may use dates.
 */
public final class FastDateFormat {
    private static final FastDateFormat UNUSED = new FastDateFormat();

    private FastDateFormat() {
    }

    public static FastDateFormat getInstance(String pattern) {
        return UNUSED;
    }

    public static FastDateFormat getInstance(String pattern, TimeZone zone) {
        return UNUSED;
    }

    public String format(Date date) {
        throw new UnsupportedOperationException();
    }

    public Date parse(String text) {
        throw new UnsupportedOperationException();
    }
}
