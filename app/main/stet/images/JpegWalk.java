package stet.images;

import stet.base.Refusal;
import stet.core.ImageType;

/** Reads a JPEG segment by segment (ITU-T T.81, B). Only baseline, extended and progressive images are accepted, as in browsers. */
final class JpegWalk extends ImageFile.ImageWalk {
    private static final int START = 0xd8;
    private static final int END = 0xd9;
    private static final int SCAN = 0xda;
    /** Maximum number of scans. A progressive image has about ten, and each one makes a decoder pass over the whole image. */
    private static final int MAX_SCANS = 64;
    private static final String EXIF = "Exif\0\0";

    private int scans;
    private boolean hasExif;

    JpegWalk(byte[] file) {
        super(ImageType.JPEG, file);
    }

    @Override
    void walk() {
        keep(0, 2);
        at = 2;
        for (int marker = marker(); marker != END; marker = marker()) {
            countPart();
            int length = shortAt(at);
            if (length < 2) {
                throw damaged();
            }
            checkLength(at, length);
            int end = at + length;
            segment(marker, end);
            at = end;
            if (marker == SCAN) {
                scan();
            }
        }
        if (scans == 0) {
            throw damaged();
        }
        kept.write(0xff);
        kept.write(END);
    }

    /** Reads the next marker and moves behind it; further 0xff bytes before it are filler. */
    private int marker() {
        if (byteAt(at) != 0xff) {
            throw damaged();
        }
        while (byteAt(at) == 0xff) {
            at++;
        }
        int marker = byteAt(at++);
        if (marker < 0xc0 || marker >= 0xd0 && marker <= START) {
            throw damaged();
        }
        return marker;
    }

    /** Checks a segment, and keeps it if it is needed. @param end the position behind it */
    private void segment(int marker, int end) {
        switch (marker) {
            case 0xc0, 0xc1, 0xc2 -> { // baseline, extended and progressive frames
                if (width > 0 || end - at < 8 || byteAt(at + 2) != 8 || !isComponentCount(byteAt(at + 7))) {
                    throw damaged();
                }
                setSize(shortAt(at + 5), shortAt(at + 3));
                keepSegment(marker, end);
            }
            case 0xc4, 0xdb, 0xdd -> keepSegment(marker, end); // Huffman and quantization tables, restart interval
            case SCAN -> {
                if (width == 0) {
                    throw damaged();
                }
                if (++scans > MAX_SCANS) {
                    throw new Refusal("file", "The JPEG has more than " + MAX_SCANS + " scans. Save it again with an image editor");
                }
                keepSegment(marker, end);
            }
            case 0xe0 -> keepIf("JFIF\0", marker, end);
            case 0xe1 -> keepOrientation(end);
            case 0xe2 -> keepIf("ICC_PROFILE\0", marker, end);
            case 0xee -> keepIf("Adobe", marker, end);
            default -> {
                if (marker < 0xe0) { // lossless, hierarchical and arithmetic coding
                    throw new Refusal("file", "The JPEG is of a kind that browsers do not show. Save it again with an image editor");
                }
            }
        }
    }

    /** Whether an image can be grey, in colour or for print. */
    private static boolean isComponentCount(int number) {
        return number == 1 || number == 3 || number == 4;
    }

    /** Keeps a segment that begins with a signature. */
    private void keepIf(String start, int marker, int end) {
        if (end - at - 2 >= start.length() && ImageFile.hasSignature(file, at + 2, start)) {
            keepSegment(marker, end);
        }
    }

    /** Keeps the segment at the current position, which is behind its marker. */
    private void keepSegment(int marker, int end) {
        kept.write(0xff);
        kept.write(marker);
        keep(at, end);
    }

    /** Replaces EXIF data by the orientation, unless the image is upright. @param end the position behind the segment */
    private void keepOrientation(int end) {
        int exif = at + 2 + EXIF.length();
        int orientation = !hasExif && exif <= end && ImageFile.hasSignature(file, at + 2, EXIF) ? Exif.orientation(file, exif, end) : 1;
        if (orientation > 1) {
            byte[] only = Exif.only(orientation);
            kept.write(0xff);
            kept.write(0xe1);
            kept.write(0);
            kept.write(2 + EXIF.length() + only.length);
            EXIF.chars().forEach(kept::write);
            kept.write(only, 0, only.length);
            hasExif = true;
        }
    }

    /** Copies a scan's coded data up to the next marker. */
    private void scan() {
        int from = at;
        while (byteAt(at) != 0xff || byteAt(at + 1) == 0 || byteAt(at + 1) >= 0xd0 && byteAt(at + 1) < START) {
            at++;
        }
        keep(from, at);
    }
}
