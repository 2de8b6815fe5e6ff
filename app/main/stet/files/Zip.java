package stet.files;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import stet.core.Refusal;

/** An account's folder as a zip, for the way through a browser. */
public final class Zip {
    /** Bytes that all files of a zip may have together when unpacked. */
    private static final int UNPACKED_BYTES = 128 << 20;
    private static final int FILES = 20_000;
    /** Bytes that a file which is not looked at may have: it is unpacked all the same. */
    private static final int IGNORED_BYTES = 4 << 20;
    /** Not the day it was written: two exports of one state are the same bytes. */
    private static final LocalDateTime TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

    private Zip() {
    }

    /**
     * The files in a zip, or in the one folder that all of it is in.
     *
     * @throws Refusal when it is no zip, too large when unpacked, or a file does not belong here
     */
    public static SortedMap<String, byte[]> read(byte[] zip) {
        SortedMap<String, byte[]> files = new TreeMap<>();
        long unpacked = 0;
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(zip))) {
            ZipEntry entry = in.getNextEntry();
            if (entry == null) {
                throw new Refusal("This is not a zip file, or an empty one");
            }
            for (; entry != null; entry = in.getNextEntry()) {
                String path = path(entry.getName());
                Optional<Place> place = entry.isDirectory() || path.startsWith("__MACOSX/") ? Optional.empty() : Place.of(path);
                byte[] bytes = in.readNBytes(place.map(Place::limit).orElse(IGNORED_BYTES) + 1);
                unpacked += bytes.length;
                if (place.isEmpty() && bytes.length <= IGNORED_BYTES) {
                    continue;
                }
                place.ifPresent(known -> known.check(path, bytes.length));
                if (place.isEmpty() || unpacked > UNPACKED_BYTES || files.size() >= FILES) {
                    throw new Refusal("The zip holds more than " + (UNPACKED_BYTES >> 20) + " MiB or " + FILES + " files");
                }
                if (files.put(path, bytes) != null) {
                    throw new Refusal("The file is in the zip twice").in(path);
                }
            }
        } catch (ZipException | IllegalArgumentException broken) {
            throw new Refusal("This zip file is damaged: " + broken.getMessage());
        } catch (IOException broken) {
            throw new Refusal("This zip file is damaged or ends too early");
        }
        return files;
    }

    /** Without the folder in front that a zip of a folder has. */
    private static String path(String name) {
        int templates = name.indexOf("templates/");
        int blocks = name.indexOf("blocks/");
        int inner = templates >= 0 ? templates : blocks;
        boolean wrapped = inner > 0 && name.indexOf('/') == inner - 1;
        return wrapped ? name.substring(inner) : name;
    }

    public static byte[] write(SortedMap<String, byte[]> files) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                ZipEntry entry = new ZipEntry(file.getKey());
                entry.setTimeLocal(TIME);
                out.putNextEntry(entry);
                out.write(file.getValue());
                out.closeEntry();
            }
        } catch (IOException inMemory) {
            throw new UncheckedIOException(inMemory);
        }
        return bytes.toByteArray();
    }
}
