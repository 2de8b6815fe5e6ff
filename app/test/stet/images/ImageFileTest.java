package stet.images;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Pictures.chunk;
import static stet.harness.Pictures.gif;
import static stet.harness.Pictures.jpeg;
import static stet.harness.Pictures.join;
import static stet.harness.Pictures.latin;
import static stet.harness.Pictures.pixels;
import static stet.harness.Pictures.png;
import static stet.harness.Pictures.segment;
import static stet.harness.Pictures.with;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Refusal;
import stet.core.ImageType;
import stet.harness.Pictures;
import stet.harness.Running;

/** Which files are accepted as images, what stays of them, and what hostile files cost. */
class ImageFileTest {
    private static final int IHDR_END = 8 + 25;
    private static final String SECRET = "SECRETCAM";

    private static String refused(byte[] file) {
        return assertThrows(Refusal.class, () -> ImageFile.of(file)).getMessage();
    }

    private static boolean holds(byte[] file, String text) {
        return new String(file, StandardCharsets.ISO_8859_1).contains(text);
    }

    @Test
    void anImageKeepsItsPixelsAndIsAcceptedAgainUnchanged() {
        for (byte[] file : List.of(png(40, 30, 1), jpeg(41, 29, 2), gif(33, 7, 3))) {
            ImageFile image = ImageFile.of(file);
            assertArrayEquals(pixels(file), pixels(image.bytes()));
            assertArrayEquals(image.bytes(), ImageFile.of(image.bytes()).bytes());
        }
    }

    @Test
    void theTypeAndTheSizeOfAnImageAreFound() {
        assertEquals("PNG 40 30", shown(png(40, 30, 1)));
        assertEquals("JPEG 41 29", shown(jpeg(41, 29, 2)));
        assertEquals("GIF 33 7", shown(gif(33, 7, 3)));
    }

    private static String shown(byte[] file) {
        ImageFile image = ImageFile.of(file);
        return image.type().label + " " + image.width() + " " + image.height();
    }

    @Test
    void aPngKeepsOnlyTheOrientationOfItsMetadata() {
        byte[] png = png(10, 10, 1);
        byte[] loaded = with(png, IHDR_END, join(chunk("tEXt", latin("Author\0" + SECRET)), chunk("eXIf", Pictures.exif(6)), chunk("zTXt", latin(SECRET)),
                chunk("iTXt", latin(SECRET)), chunk("tIME", new byte[7]), chunk("prVt", latin("<script>"))));
        byte[] cleaned = ImageFile.of(loaded).bytes();
        assertFalse(holds(cleaned, SECRET) || holds(cleaned, "GPS") || holds(cleaned, "tIME") || holds(cleaned, "script"));
        assertEquals(6, Exif.orientation(cleaned, new String(cleaned, StandardCharsets.ISO_8859_1).indexOf("eXIf") + 4, cleaned.length));
        assertArrayEquals(cleaned, ImageFile.of(cleaned).bytes());
        assertArrayEquals(ImageFile.of(png).bytes(), ImageFile.of(with(png, IHDR_END, chunk("eXIf", Pictures.exif(1)))).bytes(), "upright");
    }

    @Test
    void aJpegKeepsOnlyTheOrientationOfItsMetadata() {
        byte[] jpeg = jpeg(10, 10, 1);
        byte[] photo = with(jpeg, 2, join(segment(0xe1, join(latin("Exif\0\0"), Pictures.exif(6))), segment(0xe1, latin("http://ns.adobe.com/xap/1.0/\0" + SECRET)),
                segment(0xed, latin(SECRET)), segment(0xfe, latin("<script>")), segment(0xe2, latin("MPF\0" + SECRET))));
        byte[] cleaned = ImageFile.of(photo).bytes();
        assertFalse(holds(cleaned, SECRET) || holds(cleaned, "GPS") || holds(cleaned, "script"));
        assertEquals(6, Exif.orientation(cleaned, 12, cleaned.length));
        assertArrayEquals(cleaned, ImageFile.of(cleaned).bytes());
        assertArrayEquals(ImageFile.of(jpeg).bytes(), ImageFile.of(with(jpeg, 2, segment(0xe1, join(latin("Exif\0\0"), Pictures.exif(1))))).bytes(), "upright");
    }

    @Test
    void aGifLosesItsCommentsAndKeepsItsRepetitions() {
        byte[] gif = gif(10, 10, 1);
        int at = 13 + (3 << (gif[10] & 7) + 1);
        byte[] commented = with(gif, at, join(latin("!\u00fe\u0008<script>\0"), latin("!\u00ff\u000bXMP DataXMP\u0003abc\0"), latin("!\u00ff\u000bNETSCAPE2.0\u0003\u0001\0\0\0")));
        ImageFile cleaned = ImageFile.of(commented);
        assertFalse(holds(cleaned.bytes(), "script") || holds(cleaned.bytes(), "XMP"));
        assertTrue(holds(cleaned.bytes(), "NETSCAPE2.0"));
    }

    @Test
    void bytesAfterTheEndAreCut() {
        for (byte[] file : List.of(png(10, 10, 1), jpeg(10, 10, 1), gif(10, 10, 1))) {
            byte[] polyglot = join(file, latin("PK\u0003\u0004<script>alert(1)</script>"), png(5, 5, 9));
            assertArrayEquals(ImageFile.of(file).bytes(), ImageFile.of(polyglot).bytes());
        }
    }

    @Test
    void everyTruncatedFileIsRefused() {
        for (byte[] file : List.of(png(20, 20, 1), jpeg(20, 20, 1), gif(20, 20, 1))) {
            for (int length = 0; length < file.length; length++) {
                byte[] part = Arrays.copyOf(file, length);
                assertTrue(refused(part).matches("The (file is empty; choose another file|file is not a PNG.*|(PNG|JPEG|GIF) is (incomplete|corrupted)\\..*)"), refused(part));
            }
        }
    }

    @Test
    void aFileWithFlippedBytesIsRefusedOrStaysAnImage() {
        Random random = new Random(7);
        for (byte[] file : List.of(png(20, 20, 1), jpeg(20, 20, 1), gif(20, 20, 1))) {
            for (int i = 0; i < 3_000; i++) {
                byte[] other = file.clone();
                for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                    other[random.nextInt(other.length)] = (byte) random.nextInt();
                }
                try {
                    ImageFile image = ImageFile.of(other);
                    assertArrayEquals(image.bytes(), ImageFile.of(image.bytes()).bytes());
                    assertTrue(image.width() <= ImageFile.MAX_SIDE && image.height() <= ImageFile.MAX_SIDE);
                } catch (Refusal expected) {
                    assertFalse(expected.getMessage().isEmpty());
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            <svg xmlns="http://www.w3.org/2000/svg"/>      | The image is in the SVG format, which Gmail and Outlook do not show. Export it as PNG, twice as wide as it is shown
            <?xml version="1.0"?><svg onload="alert(1)"/>  | The image is in the SVG format, which Gmail and Outlook do not show. Export it as PNG, twice as wide as it is shown
            RIFF1234WEBPVP8                                | The image is in the WebP format; Outlook for Windows does not show it. Convert it to PNG or JPEG
            1234ftypavif0000                               | The image is in the AVIF format; Outlook for Windows does not show it. Convert it to PNG or JPEG
            1234ftypheic0000                               | The image is in the HEIC format of phones, which most mail clients do not show. Convert it to JPEG, or set the phone's camera to its most compatible format
            BM123456                                       | The file is not a PNG, JPEG or GIF image. Convert it to one of these formats
            %PDF-1.7                                       | The file is not a PNG, JPEG or GIF image. Convert it to one of these formats
            GIF88a                                         | The file is not a PNG, JPEG or GIF image. Convert it to one of these formats
            <html><script>alert(1)</script>                | The file is not a PNG, JPEG or GIF image. Convert it to one of these formats
            """)
    void otherFormatsAreRefusedWithAWayOut(String start, String sentence) {
        assertEquals(sentence, refused(latin(start)));
    }

    private static byte[] repeated(byte[] part, int times) {
        byte[][] parts = new byte[times][];
        Arrays.fill(parts, part);
        return join(parts);
    }

    @Test
    void aTooLargeFileIsRefused() {
        assertEquals("The image is 2097153 bytes; the limit is 2097152 (2 MiB). Save a smaller copy", refused(new byte[ImageFile.MAX_BYTES + 1]));
    }

    @Test
    void anImageWithTooManyPixelsIsRefused() {
        byte[] huge = png(10, 10, 1);
        byte[] header = join(latin("\0\0\u00fd\u00e8\0\0\u00fd\u00e8"), Arrays.copyOfRange(huge, 24, 29));
        System.arraycopy(chunk("IHDR", header), 0, huge, 8, 25);
        assertEquals("The image has 65000 x 65000 pixels; the limit is 4000 x 4000. Save a smaller copy", refused(huge));
        byte[] tall = jpeg(10, 10, 1);
        tall[new String(tall, StandardCharsets.ISO_8859_1).indexOf("\u00ff\u00c0") + 5] = (byte) 0xff;
        assertEquals("The image has 10 x 65290 pixels; the limit is 4000 x 4000. Save a smaller copy", refused(tall));
    }

    @Test
    void anAnimationOfTooManyPicturesIsRefused() {
        byte[] gif = gif(2, 2, 1);
        int first = new String(gif, StandardCharsets.ISO_8859_1).indexOf(",\0\0\0\0");
        byte[] picture = Arrays.copyOfRange(gif, first, gif.length - 1);
        assertEquals("The animation is too long; at most 500 pictures, with 400 million pixels altogether, are allowed. Save a shorter or smaller one",
                refused(join(Arrays.copyOf(gif, first), repeated(picture, 10_000), latin(";"))));
    }

    @Test
    void aFileOfTooManyPartsIsRefused() {
        byte[] chunks = repeated(chunk("tEXt", new byte[0]), 10_001);
        assertEquals("The PNG has more than 10000 parts. Save it again with an image editor", refused(with(png(10, 10, 1), IHDR_END, chunks)));
        byte[] jpeg = jpeg(10, 10, 1);
        byte[] segments = repeated(segment(0xfe, new byte[0]), 10_001);
        assertEquals("The JPEG has more than 10000 parts. Save it again with an image editor", refused(with(jpeg, 2, segments)));
        int scan = new String(jpeg, StandardCharsets.ISO_8859_1).indexOf("\u00ff\u00da");
        byte[] scans = repeated(Arrays.copyOfRange(jpeg, scan, jpeg.length - 2), 65);
        assertEquals("The JPEG has more than 64 scans. Save it again with an image editor",
                refused(join(Arrays.copyOf(jpeg, scan), scans, latin("\u00ff\u00d9"))));
    }

    @Test
    void partsThatBrowsersDoNotKnowAreRefused() {
        byte[] png = png(10, 10, 1);
        assertEquals("The PNG is corrupted. Save it again with an image editor", refused(with(png, IHDR_END, chunk("ABCD", new byte[0]))));
        assertEquals("The PNG is incomplete. Save or download it again", refused(join(Arrays.copyOf(png, IHDR_END), latin("\u00ff\u00ff\u00ff\u00ffIDAT"))));
        byte[] lossless = jpeg(10, 10, 1);
        lossless[new String(lossless, StandardCharsets.ISO_8859_1).indexOf("\u00ff\u00c0") + 1] = (byte) 0xc3;
        assertEquals("The JPEG is of a kind that browsers do not show. Save it again with an image editor", refused(lossless));
    }

    @Test
    void aGifOfManySmallBlocksIsReadInLinearTime() {
        byte[] end = latin(";");
        byte[] gif = gif(2, 2, 1);
        int first = new String(gif, StandardCharsets.ISO_8859_1).indexOf(",\0\0\0\0");
        int rest = ImageFile.MAX_BYTES - gif.length - 10;
        byte[] small = new byte[rest / 2 * 2];
        for (int i = 0; i < small.length; i += 2) {
            small[i] = 1; // a sub-block of one byte
        }
        byte[] file = join(Arrays.copyOf(gif, first), latin("!\u00fe"), small, latin("\0"), Arrays.copyOfRange(gif, first, gif.length - 1), end);
        assertTimeoutPreemptively(Running.PATIENCE, () -> ImageFile.of(file));
    }

    @Test
    void aJpegOfFillBytesIsReadInLinearTime() {
        byte[] fill = new byte[ImageFile.MAX_BYTES - 100_000];
        Arrays.fill(fill, (byte) 0xff);
        byte[] filled = with(jpeg(10, 10, 1), 2, fill); // before a marker
        assertTimeoutPreemptively(Running.PATIENCE, () -> ImageFile.of(filled));
    }

    @Test
    void bothExtensionsOfAJpegAreKnown() {
        assertEquals(ImageType.JPEG, ImageType.ofName("images/photo.jpg"));
        assertEquals(ImageType.JPEG, ImageType.ofName("images/photo.jpeg"));
    }
}
