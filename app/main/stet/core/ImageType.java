package stet.core;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A format of images that every mail client shows. */
public enum ImageType {
    PNG("PNG", "image/png", List.of("png")),
    JPEG("JPEG", "image/jpeg", List.of("jpg", "jpeg")),
    GIF("GIF", "image/gif", List.of("gif"));

    public final String label;
    public final String mediaType;
    /** Extensions of file names; addresses use the first. */
    public final List<String> extensions;

    ImageType(String label, String mediaType, List<String> extensions) {
        this.label = label;
        this.mediaType = mediaType;
        this.extensions = extensions;
    }

    /** The extension in addresses. */
    public String extension() {
        return extensions.get(0);
    }

    /** The format that a file name's extension announces. */
    public static Optional<ImageType> ofExtension(String extension) {
        return Arrays.stream(values()).filter(type -> type.extensions.contains(extension)).findFirst();
    }

    /** The format of an image by its name, which {@link ImageNames} has checked. */
    public static ImageType ofName(String name) {
        return ofExtension(name.substring(name.lastIndexOf('.') + 1)).orElseThrow();
    }
}
