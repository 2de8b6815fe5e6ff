package stet.base;

import java.util.Optional;

/** The running release. */
public final class Release {
    private Release() {
    }

    /** The version in the jar's manifest. */
    public static String version() {
        return Optional.ofNullable(Release.class.getPackage().getImplementationVersion()).orElse("(not packaged)");
    }
}
