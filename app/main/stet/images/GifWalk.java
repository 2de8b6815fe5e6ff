package stet.images;

import java.util.Set;
import stet.core.ImageType;

/** Reads a GIF block by block (GIF89a). Comments, texts and applications' data are dropped, except the number of repetitions. */
final class GifWalk extends ImageFile.ImageWalk {
    private static final int HEADER = 13;
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
        at = HEADER + table(byteAt(10));
        checkLength(0, at);
        keep(0, at);
        while (byteAt(at) != 0x3b) {
            countPart();
            switch (byteAt(at)) {
                case 0x21 -> extension();
                case 0x2c -> picture();
                default -> throw damaged();
            }
        }
        if (!hasFrames()) {
            throw damaged();
        }
        kept.write(0x3b);
    }

    private int little(int place) {
        return byteAt(place) | byteAt(place + 1) << 8;
    }

    /** Size of the colour table that flags announce. */
    private static int table(int flags) {
        return (flags & 0x80) == 0 ? 0 : 3 << (flags & 7) + 1;
    }

    private void extension() {
        int from = at;
        int label = byteAt(at + 1);
        int first = byteAt(at + 2);
        at += 2;
        String application = "";
        if (label == 0xff && first == 11) {
            StringBuilder name = new StringBuilder();
            for (int i = 0; i < first; i++) {
                name.append((char) byteAt(at + 1 + i));
            }
            application = name.toString();
        }
        blocks();
        if (label == 0xf9) {
            if (at - from != 8) {
                throw damaged();
            }
            control = from;
            controlEnd = at;
        } else if (label == 0x01) {
            control = -1; // belonged to the text
        } else if (REPETITIONS.contains(application) && at - from == 19) {
            keep(from, at);
        }
    }

    private void picture() {
        int from = at;
        int wide = little(at + 5);
        int high = little(at + 7);
        if (little(at + 1) + wide > ImageFile.MAX_SIDE || little(at + 3) + high > ImageFile.MAX_SIDE || wide == 0 || high == 0) {
            throw damaged();
        }
        countFrame(wide, high);
        at += 10 + table(byteAt(at + 9));
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
