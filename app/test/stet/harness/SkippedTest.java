package stet.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The end of the build names each reason for skipped tests, with their number. */
class SkippedTest {
    @TempDir
    Path folder;

    @Test
    void testsAreCountedByReason() throws Exception {
        for (Class<?> each : List.of(WithoutBrowser.class, WithoutPrograms.class)) { // two JVMs
            LauncherFactory.create(LauncherConfig.builder().enableTestExecutionListenerAutoRegistration(false).build())
                    .execute(LauncherDiscoveryRequestBuilder.request().selectors(selectClass(each)).build(), new Skipped(folder));
        }
        assertEquals("""
                Skipped tests:
                    3  chromium is not on the PATH
                    2  curl is not on the PATH
                    1  a reason""", Skipped.summary(folder));
    }

    @Test
    void nothingIsSaidIfNoTestIsSkipped() throws Exception {
        assertEquals("", Skipped.summary(folder.resolve("none")));
    }

    /** Run by {@link #testsAreCountedByReason} only: Surefire ignores nested classes without {@code @Nested}. */
    static class WithoutBrowser {
        @BeforeAll
        static void start() {
            Assumptions.assumeTrue(false, "chromium is not on the PATH");
        }

        @Test
        void one() {
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void rows(int row) {
        }
    }

    /** Run by {@link #testsAreCountedByReason} only. */
    static class WithoutPrograms {
        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void rows(int row) {
            Assumptions.assumeTrue(false, "curl is not on the PATH");
        }

        @Test
        void chromium() {
            Assumptions.assumeTrue(false, "chromium is not on the PATH");
        }

        @Test
        @Disabled("a reason")
        void disabled() {
        }

        @Test
        void runs() {
        }
    }
}
