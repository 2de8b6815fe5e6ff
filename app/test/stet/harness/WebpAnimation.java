package stet.harness;

import java.awt.Rectangle;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.imageio.ImageIO;

/**
 * An animated WebP of a window. Chromium encodes each frame; this class puts the frames into one RIFF file. After the first frame, a frame
 * has only the rectangle that has changed.
 */
public final class WebpAnimation {
    private static final int ANIMATED = 2;
    private static final int NO_BLENDING = 2;

    private final Window window;
    private final int quality;
    private final List<Frame> frames = new ArrayList<>();
    private BufferedImage shown;

    private record Frame(Rectangle place, byte[] image, int millis) {
    }

    /** @param quality of lossy compression, up to 100 */
    public WebpAnimation(Window window, int quality) {
        this.window = window;
        this.quality = quality;
    }

    /** Adds what the window shows. If that has not changed, the last frame is shown longer. */
    public void frame(int millis) throws IOException {
        BufferedImage now = ImageIO.read(new ByteArrayInputStream(shot(Map.of("format", "png"))));
        Rectangle changed = shown == null ? new Rectangle(now.getWidth(), now.getHeight()) : changed(shown, now);
        shown = now;
        if (changed == null) {
            Frame last = frames.remove(frames.size() - 1);
            frames.add(new Frame(last.place, last.image, last.millis + millis));
            return;
        }
        byte[] webp = shot(Map.of("format", "webp", "quality", quality, "clip", Map.of("x", changed.x, "y", changed.y, "width", changed.width,
                "height", changed.height, "scale", 1)));
        frames.add(new Frame(changed, chunk(webp), millis));
    }

    private byte[] shot(Map<String, Object> options) {
        return Base64.getDecoder().decode((String) window.driver.executeCdpCommand("Page.captureScreenshot", new HashMap<>(options)).get("data"));
    }

    /** The smallest rectangle with all changed pixels, beginning at even positions; null if there are none. */
    private static Rectangle changed(BufferedImage before, BufferedImage after) {
        Rectangle changed = null;
        for (int y = 0; y < after.getHeight(); y++) {
            for (int x = 0; x < after.getWidth(); x++) {
                if (before.getRGB(x, y) != after.getRGB(x, y)) {
                    Rectangle pixel = new Rectangle(x & ~1, y & ~1, 2, 2);
                    changed = changed == null ? pixel : changed.union(pixel);
                }
            }
        }
        return changed == null ? null : changed.intersection(new Rectangle(after.getWidth(), after.getHeight()));
    }

    /** The chunk with the pixels of a WebP file without animation and transparency. */
    private static byte[] chunk(byte[] webp) throws IOException {
        for (Chunk chunk : chunks(webp)) {
            if (chunk.name.startsWith("VP8") && !chunk.name.equals("VP8X")) {
                return chunk.bytes();
            }
        }
        throw new IOException("no pixels");
    }

    private record Chunk(String name, byte[] content) {
        byte[] bytes() throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.write(name.getBytes(StandardCharsets.US_ASCII));
            number(out, content.length, 4);
            out.write(content);
            out.write(new byte[content.length % 2]);
            return out.toByteArray();
        }
    }

    private static List<Chunk> chunks(byte[] webp) {
        List<Chunk> chunks = new ArrayList<>();
        for (int at = 12; at + 8 <= webp.length; ) {
            int length = number(webp, at + 4, 4);
            byte[] content = new byte[length];
            System.arraycopy(webp, at + 8, content, 0, length);
            chunks.add(new Chunk(new String(webp, at, 4, StandardCharsets.US_ASCII), content));
            at += 8 + length + length % 2;
        }
        return chunks;
    }

    private static void number(ByteArrayOutputStream out, int value, int bytes) {
        for (int i = 0; i < bytes; i++) {
            out.write(value >> 8 * i);
        }
    }

    private static int number(byte[] from, int at, int bytes) {
        int value = 0;
        for (int i = 0; i < bytes; i++) {
            value |= (from[at + i] & 0xff) << 8 * i;
        }
        return value;
    }

    /** The file, which repeats without end. */
    public byte[] bytes() throws IOException {
        Function<int[], ByteArrayOutputStream> numbers = pairs -> {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (int i = 0; i < pairs.length; i += 2) {
                number(out, pairs[i], pairs[i + 1]);
            }
            return out;
        };
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write("WEBP".getBytes(StandardCharsets.US_ASCII));
        body.write(new Chunk("VP8X", numbers.apply(new int[] {ANIMATED, 4, shown.getWidth() - 1, 3, shown.getHeight() - 1, 3}).toByteArray()).bytes());
        body.write(new Chunk("ANIM", numbers.apply(new int[] {-1, 4, 0, 2}).toByteArray()).bytes());
        for (Frame frame : frames) {
            ByteArrayOutputStream content = numbers.apply(new int[] {frame.place.x / 2, 3, frame.place.y / 2, 3, frame.place.width - 1, 3,
                frame.place.height - 1, 3, frame.millis, 3, NO_BLENDING, 1});
            content.write(frame.image);
            body.write(new Chunk("ANMF", content.toByteArray()).bytes());
        }
        return new Chunk("RIFF", body.toByteArray()).bytes();
    }

    /** The time of each frame of a file in milliseconds. */
    public static List<Integer> times(byte[] webp) {
        return chunks(webp).stream().filter(chunk -> chunk.name.equals("ANMF")).map(chunk -> number(chunk.content, 12, 3)).toList();
    }
}
