package stet.files;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.base.FileNames;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Draft;
import stet.core.ImageNames;
import stet.core.Samples;
import stet.markup.Checks;
import stet.markup.GalleryPage;
import stet.markup.Problems;
import stet.markup.Publisher;
import stet.markup.Sampler;
import stet.markup.Variables;

/** Writes each email in a folder as static pages, one per set of test data. */
public final class Gallery {
    /** Maximum sum of page bytes and rendering steps. Steps are limited because even a short template may take long to render. */
    private static final long MAX_SIZE = 256 << 20;
    private static final int MAX_NAMES = 50;
    /** Stands for a server's address of images; pages show the files themselves. */
    private static final String IMAGES = "https://images.invalid";
    private static final Pattern IMAGE = Pattern.compile(Pattern.quote(IMAGES) + "/([0-9a-f]{64}\\.(?:png|jpg|gif))");
    /** Maximum number of characters of images in a page; further images are not shown. */
    private static final int MAX_IMAGES = 16 << 20;
    /** For a template without test data. */
    private static final Samples NO_DATA = Samples.of(Map.of(Samples.DEFAULT, "{}"), null);
    private static final byte[] BEGIN = GalleryPage.BEGIN.getBytes(StandardCharsets.UTF_8);

    private final AccountFiles files;
    private final Path folder;
    private final List<String> errors = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private long left = MAX_SIZE;
    private int pages;

    /** @param folder output folder, which must be new or empty or contain an earlier gallery */
    public Gallery(AccountFiles files, Path folder) {
        this.files = files;
        this.folder = folder;
    }

    /** Number of pages, not counting the index. */
    public int pages() {
        return pages;
    }

    /** The first problems that prevent publishing, each with its file. */
    public List<String> errors() {
        return errors;
    }

    /** The first warnings that a push would report, each with its file. */
    public List<String> warnings() {
        return warnings;
    }

    /**
     * Writes the gallery, replacing the pages of any earlier gallery.
     *
     * @throws Refusal if the folder has other HTML files, or has files but no gallery; nothing is changed then
     */
    public void write() throws IOException {
        for (Path page : earlierPages()) {
            Files.delete(page);
        }
        Files.createDirectories(folder);
        try (OutputStream index = new BufferedOutputStream(create(GalleryPage.INDEX))) {
            index.write(bytes(GalleryPage.index(files.drafts().size())));
            index.flush(); // marks the folder as a gallery even if writing is interrupted
            for (String id : files.drafts().keySet()) {
                index.write(bytes(left > 0 ? add(id) : GalleryPage.omitted(id)));
            }
            index.write(bytes("</table>\n"));
        }
    }

    private List<Path> earlierPages() throws IOException {
        List<Path> pages = new ArrayList<>();
        if (Files.notExists(folder)) {
            return pages;
        }
        List<Path> all = Folder.list(folder);
        for (Path file : all) {
            if (isPage(file)) {
                pages.add(file);
            } else if (FileNames.last(file).endsWith(".html")) {
                throw new Refusal(file + " was not created by \"preview\"; choose another folder");
            }
        }
        if (pages.isEmpty() && !all.isEmpty()) {
            throw new Refusal("The folder " + folder + " is neither empty nor a gallery; choose another folder");
        }
        return pages;
    }

    private static boolean isPage(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return Arrays.equals(in.readNBytes(BEGIN.length), BEGIN);
        }
    }

    private OutputStream create(String name) throws IOException {
        return Files.newOutputStream(folder.resolve(name), StandardOpenOption.CREATE_NEW);
    }

    /** Writes a template's pages, until the gallery is full. @return the template's row in the index */
    private String add(String id) throws IOException {
        Draft draft = files.draft(id);
        Publisher publisher = new Publisher(name -> files.text(name, IMAGES));
        String expanded = publisher.expand(draft.subject(), Utf8.text(draft.html()));
        List<String> ofPush = labelled(publisher.problems().rows(), id);
        Variables.First variables = Variables.in(draft.subject(), expanded, MAX_NAMES);
        Sampler.Filled standard = Sampler.html(expanded, Samples.data(draft.samples().document(null)));
        Problems all = Checks.of(draft.subject(), Utf8.text(draft.html()), expanded, variables.names(), standard.bytes(), publisher);
        List<String> stopping = labelled(all.stopping(false), id);
        report(stopping, ofPush);
        List<String> written = new ArrayList<>();
        Samples samples = draft.samples().documents().isEmpty() ? NO_DATA : draft.samples();
        for (String set : samples.documents().keySet()) {
            if (left > 0) {
                boolean isDefault = set.equals(samples.defaultName());
                write(draft, set, isDefault ? standard : Sampler.html(expanded, Samples.data(samples.document(set))), labelled(all.rows(), id));
                written.add(set);
            }
        }
        pages += written.size();
        String row = GalleryPage.row(draft, variables, written, stopping);
        left -= row.length();
        return row;
    }

    /** Adds a template's problems to those of the folder, as far as these have room. */
    private void report(List<String> stopping, List<String> ofPush) {
        stopping.stream().limit(AccountFiles.MAX_WARNINGS - errors.size()).forEach(errors::add);
        ofPush.stream().filter(each -> !stopping.contains(each)).limit(AccountFiles.MAX_WARNINGS - warnings.size()).forEach(warnings::add);
    }

    private void write(Draft draft, String set, Sampler.Filled html, List<String> problems) throws IOException {
        String subject = Sampler.subject(draft.subject(), Samples.data(draft.samples().document(set))).text();
        byte[] page = bytes(withImages(GalleryPage.mail(draft.id(), set, subject, html, problems)));
        try (OutputStream out = create(GalleryPage.file(draft.id(), set))) {
            out.write(page);
        }
        left -= page.length + html.work();
    }

    /** Puts the images into a page, which can load no files. */
    private String withImages(String page) {
        Map<String, String> images = new HashMap<>(); // by file name; empty for an image without room, so that it is read only once
        StringBuilder whole = new StringBuilder();
        int room = MAX_IMAGES;
        Matcher address = IMAGE.matcher(page);
        while (address.find()) {
            String file = address.group(1);
            if (!images.containsKey(file)) {
                String data = data(file);
                images.put(file, data.length() <= room ? data : "");
            }
            String image = images.get(file);
            boolean isShown = !image.isEmpty() && image.length() <= room;
            room -= isShown ? image.length() : 0;
            address.appendReplacement(whole, Matcher.quoteReplacement(isShown ? image : address.group()));
        }
        return address.appendTail(whole).toString();
    }

    /** An image as a URL that holds its bytes; empty if these files do not have it. */
    private String data(String file) {
        return files.imageName(file).map(name -> "data:" + ImageNames.type(file).mediaType + ";base64,"
                + Base64.getEncoder().encodeToString(files.block(name))).orElse("");
    }

    private List<String> labelled(List<Problems.ProblemRow> rows, String id) {
        return rows.stream().limit(AccountFiles.MAX_WARNINGS).map(row -> new FileProblems(files).labelled(row, id)).toList();
    }

    /** Encodes a page. An unpaired surrogate, from test data or truncation, becomes a question mark. */
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
