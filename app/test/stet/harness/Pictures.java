package stet.harness;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;

/** Images for tests, and hostile parts to add to them. */
public final class Pictures {
    private Pictures() {
    }

    public static byte[] png(int width, int height, int colour) {
        return file(width, height, colour, "png");
    }

    public static byte[] jpeg(int width, int height, int colour) {
        return file(width, height, colour, "jpg");
    }

    public static byte[] gif(int width, int height, int colour) {
        return file(width, height, colour, "gif");
    }

    /** An animation of several frames. */
    public static byte[] animation(int width, int height, int frames) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageWriter writer = ImageIO.getImageWritersByFormatName("gif").next();
        try (ImageOutputStream target = ImageIO.createImageOutputStream(out)) {
            writer.setOutput(target);
            writer.prepareWriteSequence(null);
            for (int i = 0; i < frames; i++) {
                writer.writeToSequence(new IIOImage(image(width, height, 0x30 * i), null, null), null);
            }
            writer.endWriteSequence();
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
        return out.toByteArray();
    }

    private static byte[] file(int width, int height, int colour, String format) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            ImageIO.write(image(width, height, colour), format, out);
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
        return out.toByteArray();
    }

    private static BufferedImage image(int width, int height, int colour) {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        for (int x = 0; x < width; x++) {
            for (int y = 0; y < height; y++) {
                image.setRGB(x, y, new Color(colour & 0xff, x * 255 / width, y * 255 / height).getRGB());
            }
        }
        return image;
    }

    /** The pixels as another decoder reads them. */
    public static int[] pixels(byte[] file) {
        try {
            BufferedImage image = ImageIO.read(new ByteArrayInputStream(file));
            return image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
        } catch (IOException damaged) {
            throw new UncheckedIOException(damaged);
        }
    }

    public static byte[] chunk(String name, byte[] data) {
        ByteBuffer chunk = ByteBuffer.allocate(12 + data.length).putInt(data.length).put(latin(name)).put(data);
        CRC32 crc = new CRC32();
        crc.update(chunk.array(), 4, 4 + data.length);
        return chunk.putInt((int) crc.getValue()).array();
    }

    public static byte[] segment(int marker, byte[] data) {
        return ByteBuffer.allocate(4 + data.length).put((byte) 0xff).put((byte) marker).putShort((short) (2 + data.length)).put(data).array();
    }

    /** EXIF data with an orientation, a camera's name and a position. */
    public static byte[] exif(int orientation) {
        ByteBuffer exif = ByteBuffer.allocate(200).put(latin("MM")).putShort((short) 42).putInt(8).putShort((short) 3);
        exif.putShort((short) 0x010f).putShort((short) 2).putInt(8).putInt(60);
        exif.putShort((short) 0x0112).putShort((short) 3).putInt(1).putShort((short) orientation).putShort((short) 0);
        exif.putShort((short) 0x8825).putShort((short) 4).putInt(1).putInt(80).putInt(0);
        exif.position(60);
        exif.put(latin("SECRETCAM"));
        exif.position(80);
        exif.putShort((short) 1).putShort((short) 1).putShort((short) 2).putInt(2).put(latin("N\0\0\0")).putInt(0).put(latin("GPS-POSITION"));
        return exif.array();
    }

    public static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    public static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** Inserts a part at a position. */
    public static byte[] with(byte[] file, int at, byte[] part) {
        return join(Arrays.copyOf(file, at), part, Arrays.copyOfRange(file, at, file.length));
    }
}
