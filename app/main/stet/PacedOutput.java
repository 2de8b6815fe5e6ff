package stet;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import stet.http.Response.Pace;

/** The body of an answer that the test double sends slowly. */
final class PacedOutput extends FilterOutputStream {
    private final Pace pace;

    PacedOutput(OutputStream body, Pace pace) {
        super(body);
        this.pace = pace;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        for (int sent = 0; sent < length; ) {
            int some = Math.min(pace.next(), length - sent);
            out.write(bytes, from + sent, some);
            out.flush();
            sent += some;
        }
    }
}
