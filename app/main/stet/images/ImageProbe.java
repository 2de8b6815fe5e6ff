package stet.images;

import java.util.HexFormat;

/** An image of one pixel that each server has, for tests of the images' address. */
public final class ImageProbe {
    /** Its file name in addresses: the SHA-256 of its bytes. */
    public static final String FILE = "a1abfd410973b0111c215baa879b9edcd739e601659ba44168269767cc2e9108.png";
    private static final String PNG = "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c636800000082008177cd72b60000000049454e44ae426082";

    private ImageProbe() {
    }

    public static byte[] bytes() {
        return HexFormat.of().parseHex(PNG);
    }
}
