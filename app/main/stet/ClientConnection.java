package stet;

import com.sun.net.httpserver.HttpExchange;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import stet.core.Log;
import stet.core.Metrics.Area;
import stet.http.Request;

/** One client; {@code gone} is set when sending failed. */
final class ClientConnection {
    /** Bytes of a body that are read and thrown away before it is answered by an error. */
    private static final int DRAINED_BYTES = 64 << 20;

    final HttpExchange exchange;
    /** The task of the JDK's server that read the request. */
    final Runnable task = WorkerPool.current();
    final long began = System.nanoTime();
    /** Null when it could not be read. */
    Request request;
    Area area = Area.OTHER;
    volatile IOException gone;
    /** Whether {@link Handler#handle} has ended, so that it cannot tell the server of a failure any more. */
    volatile boolean handled;

    ClientConnection(HttpExchange exchange) {
        this.exchange = exchange;
    }

    /**
     * Has the server forget the connection, which it else keeps for minutes and counts as one. It does so when its task
     * fails; run again, the task tries to read the next request from the closed connection.
     */
    void forget(Log log) {
        exchange.setStreams(null, new OutputStream() {
            @Override
            public void write(int any) throws IOException {
                throw gone;
            }

            @Override
            public void close() throws IOException {
                throw gone; // then the exchange closes the connection, and does not offer it for a next request
            }
        });
        AnsweredExchanges.close(exchange, log);
        task.run();
    }

    /** The body of a request: who sends it slowly is cut off when others wait for the thread. */
    static final class Input extends FilterInputStream {
        private static final int SLICE_BYTES = 16 << 10;

        /** Bytes of this slice, and when its first read began; -1 before that. */
        private int bytes;
        private long since = -1;

        Input(InputStream body) {
            super(body);
        }

        @Override
        public int read() throws IOException {
            int read = WorkerPool.receive(since(), super::read);
            received(1);
            return read;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int read = WorkerPool.receive(since(), () -> super.read(bytes, from, length));
            received(read);
            return read;
        }

        private long since() {
            since = since < 0 ? WorkerPool.now() : since;
            return since;
        }

        private void received(int more) {
            bytes += more;
            if (bytes >= SLICE_BYTES) {
                bytes = 0;
                since = -1;
            }
        }

        void drain() throws IOException {
            byte[] slice = new byte[16 << 10];
            int read = read(slice);
            for (long bytes = read; read >= 0 && bytes < DRAINED_BYTES; bytes += read) {
                read = read(slice);
            }
        }
    }

    /** The body of an answer: each part that is read is progress. */
    static final class Output extends FilterOutputStream {
        Output(OutputStream body) {
            super(body);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
            WorkerPool.progress();
        }
    }
}
