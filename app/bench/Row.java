package stet;

import java.util.List;

/**
 * A benchmark that can be run separately.
 *
 * @param name name on the command line
 */
record Row(String name, String what, Measurement measurement) {

    interface Measurement {
        List<Line> measure(Lab lab) throws Exception;
    }
}
