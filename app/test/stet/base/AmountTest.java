package stet.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sizes as messages show them. */
class AmountTest {
    @ParameterizedTest(name = "{0}")
    @CsvSource(textBlock = """
            0,             0 bytes
            1,             1 byte
            1023,          1023 bytes
            1024,          1 KiB
            1536,          1.5 KiB
            102400,        100 KiB
            1048570,       1023.99 KiB
            1048571,       1 MiB
            1048576,       1 MiB
            1073741823,    1 GiB
            1099511627776, 1 TiB
            2251799813685248, 2048 TiB
            """)
    void aSizeIsShownInTheLargestFittingUnit(long bytes, String text) {
        assertEquals(text, Amount.bytes(bytes));
    }
}
