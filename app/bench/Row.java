package stet;

import java.util.List;

/**
 * One thing that is measured, by itself.
 *
 * @param name as it is given on the command line
 */
record Row(String name, String what, Measurement measurement) {

    /** Measures a row's lines. */
    interface Measurement {
        List<Line> measure(Lab lab) throws Exception;
    }
}
