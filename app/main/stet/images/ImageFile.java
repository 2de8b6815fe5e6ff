package stet.images;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import stet.base.Refusal;
import stet.core.ImageType;

/**
 * An image for emails. The file's structure is checked without decoding pixels: no decoder's memory or bugs are exposed to hostile files.
 * Data not needed to show the image is dropped: texts, thumbnails, positions and other metadata, and whatever follows the image's end.
 *
 * @param bytes the file without what was dropped; accepted again without any change
 * @param width in pixels, like {@code height}, as stored; the orientation of a JPEG may exchange them
 */
public record ImageFile(ImageType type, int width, int height, byte[] bytes) {
    /** Maximum size of a file, in bytes. */
    public static final int MAX_BYTES = 2 << 20;
    /** Maximum width and height, in pixels. */
    public static final int MAX_SIDE = 4_000;
    /** Maximum number of pictures in an animation. */
    static final int MAX_FRAMES = 500;
    /** Maximum number of pixels in all pictures of an animation: a minute of a small one, or 25 of the largest. */
    static final long MAX_PIXELS = 400_000_000;
    /** Maximum number of chunks, segments or blocks in a file. */
    static final int MAX_PARTS = 10_000;
    private static final String CONVERT = "; Outlook for Windows does not show it. Convert it to PNG or JPEG";

    /** @throws Refusal if the file is not an image that every mail client shows, or exceeds a limit */
    public static ImageFile of(byte[] file) {
        checkSize(file.length);
        if (hasSignature(file, 0, "\u0089PNG\r\n\u001a\n")) {
            return new PngWalk(file).image();
        }
        if (hasSignature(file, 0, "\u00ff\u00d8\u00ff")) {
            return new JpegWalk(file).image();
        }
        if (hasSignature(file, 0, "GIF87a") || hasSignature(file, 0, "GIF89a")) {
            return new GifWalk(file).image();
        }
        throw new Refusal("file", file.length == 0 ? "The file is empty; choose another file" : unsupported(file));
    }

    /** @throws Refusal if a file of this many bytes is too large */
    public static void checkSize(long bytes) {
        if (bytes > MAX_BYTES) {
            throw new Refusal("file", "The image is " + bytes + " bytes; the limit is " + MAX_BYTES + " (2 MiB). Save a smaller copy");
        }
    }

    /** A sentence about a file of another kind. */
    private static String unsupported(byte[] file) {
        String brand = hasSignature(file, 4, "ftyp") && file.length >= 12 ? new String(file, 8, 4, StandardCharsets.ISO_8859_1) : "";
        String start = new String(file, 0, Math.min(file.length, 1_000), StandardCharsets.ISO_8859_1).stripLeading();
        if (brand.startsWith("avi")) {
            return "The image is in the AVIF format" + CONVERT;
        }
        if (brand.startsWith("hei") || brand.startsWith("hev") || brand.equals("mif1") || brand.equals("msf1")) {
            return "The image is in the HEIC format of phones, which most mail clients do not show. Convert it to JPEG, or set the phone's"
                    + " camera to its most compatible format";
        }
        if (hasSignature(file, 0, "RIFF") && hasSignature(file, 8, "WEBP")) {
            return "The image is in the WebP format" + CONVERT;
        }
        if (start.contains("<svg") || start.startsWith("<?xml") || start.startsWith("\u00ef\u00bb\u00bf<")) {
            return "The image is in the SVG format, which Gmail and Outlook do not show. Export it as PNG, twice as wide as it is shown";
        }
        return "The file is not a PNG, JPEG or GIF image. Convert it to one of these formats";
    }

    /** Whether a file has a signature, whose characters are bytes, at a position. */
    static boolean hasSignature(byte[] file, int at, String signature) {
        if (file.length - at < signature.length()) {
            return false;
        }
        for (int i = 0; i < signature.length(); i++) {
            if ((file[at + i] & 0xff) != signature.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Reads a file's parts in order and copies those that stay. */
    abstract static class ImageWalk {
        final byte[] file;
        final ByteArrayOutputStream kept;
        final ImageType type;
        /** The position of the next part. */
        int at;
        int width;
        int height;
        private int parts;
        private int frames;
        private long pixels;

        ImageWalk(ImageType type, byte[] file) {
            this.type = type;
            this.file = file;
            this.kept = new ByteArrayOutputStream(file.length);
        }

        /** Reads the whole file, sets the size and keeps what the image needs. @throws Refusal if the file is invalid or exceeds a limit */
        abstract void walk();

        final ImageFile image() {
            walk();
            return new ImageFile(type, width, height, kept.toByteArray());
        }

        /** The byte at a position. @throws Refusal if the file ends before it */
        final int byteAt(int place) {
            if (place < 0 || place >= file.length) {
                throw truncated();
            }
            return file[place] & 0xff;
        }

        /** Two bytes as a number without a sign; the high byte comes first. */
        final int shortAt(int place) {
            return byteAt(place) << 8 | byteAt(place + 1);
        }

        /** Four bytes as a number without a sign; the highest byte comes first. */
        final long longAt(int place) {
            return (long) shortAt(place) << 16 | shortAt(place + 2);
        }

        /** Checks that a part of this many bytes fits into the file. @throws Refusal if the file ends before it */
        final void checkLength(int from, long bytes) {
            if (bytes > file.length - from) {
                throw truncated();
            }
        }

        /** Copies bytes of the file. @param to the position behind the last */
        final void keep(int from, int to) {
            kept.write(file, from, to - from);
        }

        /** Sets the image's size in pixels. @throws Refusal if it is 0 or exceeds the limit */
        final void setSize(long wide, long high) {
            if (wide > MAX_SIDE || high > MAX_SIDE) {
                throw new Refusal("file", "The image has " + wide + " x " + high + " pixels; the limit is " + MAX_SIDE + " x " + MAX_SIDE
                        + ". Save a smaller copy");
            }
            if (wide == 0 || high == 0) {
                throw damaged();
            }
            width = (int) wide;
            height = (int) high;
        }

        /** @throws Refusal if the file has too many parts */
        final void countPart() {
            if (++parts > MAX_PARTS) {
                throw new Refusal("file", "The " + type.label + " has more than " + MAX_PARTS + " parts. Save it again with an image editor");
            }
        }

        /** Counts a picture of an animation. @throws Refusal if there are too many pictures or pixels */
        final void countFrame(long wide, long high) {
            pixels += wide * high;
            if (++frames > MAX_FRAMES || pixels > MAX_PIXELS) {
                throw new Refusal("file", "The animation is too long; at most " + MAX_FRAMES + " pictures, with " + MAX_PIXELS / 1_000_000
                        + " million pixels altogether, are allowed. Save a shorter or smaller one");
            }
        }

        final boolean hasFrames() {
            return frames > 0;
        }

        final Refusal truncated() {
            return new Refusal("file", "The " + type.label + " is incomplete. Save or download it again");
        }

        final Refusal damaged() {
            return new Refusal("file", "The " + type.label + " is corrupted. Save it again with an image editor");
        }
    }
}
