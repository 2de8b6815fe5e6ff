package stet.images;

import java.util.HexFormat;
import java.util.random.RandomGenerator;
import stet.base.Secret;

/**
 * An image of one pixel that only this process has, for tests of the images' address. Random bytes follow its end, so that another server's
 * image is not taken for it.
 *
 * @param file its file name in addresses: the SHA-256 of its bytes
 */
public record ImageProbe(String file, byte[] bytes) {
    private static final String PNG = "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
            + "0000000a49444154789c636800000082008177cd72b60000000049454e44ae426082";
    private static final int RANDOM_BYTES = 16;

    /** A new image. */
    public static ImageProbe of(RandomGenerator random) {
        byte[] end = new byte[RANDOM_BYTES];
        random.nextBytes(end);
        byte[] bytes = HexFormat.of().parseHex(PNG + HexFormat.of().formatHex(end));
        return new ImageProbe(HexFormat.of().formatHex(Secret.sha256(bytes)) + ".png", bytes);
    }
}
