package stet.core;

import java.util.Optional;

/** The release that runs. */
public final class Release {
    private Release() {
    }

    /** As the jar's manifest has it. */
    public static String version() {
        return Optional.ofNullable(Release.class.getPackage().getImplementationVersion()).orElse("(not packaged)");
    }
}
