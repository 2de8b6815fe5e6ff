package stet.images;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import stet.core.ImageType;

/** Reads a GIF block by block (GIF89a). Comments, texts and applications' data are dropped, except the number of repetitions. */
final class GifWalk extends ImageFile.ImageWalk {
    private static final int HEADER = 13;
    private static final int EXTENSION = 0x21;
    private static final int PICTURE = 0x2c;
    private static final int TRAILER = 0x3b;
    private static final int CONTROL_LABEL = 0xf9;
    private static final int TEXT_LABEL = 0x01;
    private static final int APPLICATION_LABEL = 0xff;
    private static final int APPLICATION_CHARACTERS = 11;
    /** Sizes of whole extensions. */
    private static final int CONTROL_BYTES = 8;
    private static final int REPETITION_BYTES = 19;
    /** Applications whose data is the number of repetitions. */
    private static final Set<String> REPETITIONS = Set.of("NETSCAPE2.0", "ANIMEXTS1.0");

    /** The control block for the next picture: where it begins and ends; -1 without one. */
    private int control = -1;
    private int controlEnd;

    GifWalk(byte[] file) {
        super(ImageType.GIF, file);
    }

    @Override
    void walk() {
        checkLength(0, HEADER);
        setSize(little(6), little(8));
        at = HEADER + tableBytes(byteAt(10));
        checkLength(0, at);
        keep(0, at);
        while (byteAt(at) != TRAILER) {
            countPart();
            switch (byteAt(at)) {
                case EXTENSION -> extension();
                case PICTURE -> picture();
                default -> throw damaged();
            }
        }
        if (!hasFrames()) {
            throw damaged();
        }
        kept.write(TRAILER);
    }

    /** A 16-bit number with its low byte first. */
    private int little(int place) {
        return byteAt(place) | byteAt(place + 1) << 8;
    }

    /** Size in bytes of the colour table that flags announce. */
    private static int tableBytes(int flags) {
        return (flags & 0x80) == 0 ? 0 : 3 << (flags & 7) + 1;
    }

    private void extension() {
        int from = at;
        int label = byteAt(at + 1);
        at += 2;
        boolean isRepetition = label == APPLICATION_LABEL && REPETITIONS.contains(application());
        blocks();
        if (label == CONTROL_LABEL) {
            if (at - from != CONTROL_BYTES) {
                throw damaged();
            }
            control = from;
            controlEnd = at;
        } else if (label == TEXT_LABEL) {
            control = -1; // belonged to the text
        } else if (isRepetition && at - from == REPETITION_BYTES) {
            keep(from, at);
        }
    }

    /** The application's name in the sub-block at the current position; empty if the sub-block has another size. */
    private String application() {
        if (byteAt(at) != APPLICATION_CHARACTERS) {
            return "";
        }
        checkLength(at + 1, APPLICATION_CHARACTERS);
        return new String(file, at + 1, APPLICATION_CHARACTERS, StandardCharsets.ISO_8859_1);
    }

    private void picture() {
        int from = at;
        int wide = little(at + 5);
        int high = little(at + 7);
        if (little(at + 1) + wide > ImageFile.MAX_SIDE || little(at + 3) + high > ImageFile.MAX_SIDE || wide == 0 || high == 0) {
            throw damaged();
        }
        countFrame(wide, high);
        at += 10 + tableBytes(byteAt(at + 9));
        int codeSize = byteAt(at++);
        if (codeSize < 1 || codeSize > 11) {
            throw damaged();
        }
        blocks();
        if (control >= 0) {
            keep(control, controlEnd);
            control = -1;
        }
        keep(from, at);
    }

    /** Moves behind a series of sub-blocks, which ends with an empty one. */
    private void blocks() {
        for (int length = byteAt(at); length > 0; length = byteAt(at)) {
            checkLength(at, length + 1L);
            at += length + 1;
        }
        at++;
    }
}
