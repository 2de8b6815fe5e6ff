package stet.files;

import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
     * @throws Refusal, without changing anything, if the folder has other HTML files, or has files but no gallery
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

    /** Writes a template's pages. @return the template's row in the index */
    private String add(String id) throws IOException {
        Draft draft = files.draft(id);
        String text = Utf8.text(draft.html());
        Publisher publisher = new Publisher(name -> files.text(name, IMAGES));
        String expanded = publisher.expand(draft.subject(), text);
        Variables.First variables = Variables.in(draft.subject(), expanded, MAX_NAMES);
        List<String> ofPush = labelled(publisher.problems().rows(), id);
        Collection<String> sets = draft.samples().documents().isEmpty() ? Set.of(Samples.DEFAULT) : draft.samples().documents().keySet();
        String standardSet = draft.samples().documents().isEmpty() ? Samples.DEFAULT : draft.samples().defaultName();
        Sampler.Filled standard = left > 0 ? Sampler.html(expanded, Samples.data(draft.samples().document(null))) : null;
        long sent = standard == null ? Utf8.length(expanded, 0, expanded.length()) : standard.bytes();
        Problems all = Checks.of(draft.subject(), text, expanded, variables.names(), sent, publisher);
        List<String> problems = labelled(all.rows(), id);
        List<String> stopping = labelled(all.stopping(false), id);
        stopping.stream().limit(AccountFiles.MAX_WARNINGS - errors.size()).forEach(errors::add);
        ofPush.stream().filter(each -> !stopping.contains(each)).limit(AccountFiles.MAX_WARNINGS - warnings.size()).forEach(warnings::add);
        List<String> written = new ArrayList<>();
        for (String set : sets) {
            if (left > 0) {
                ObjectNode data = Samples.data(draft.samples().document(set));
                Sampler.Filled html = set.equals(standardSet) ? standard : Sampler.html(expanded, data);
                byte[] page = bytes(withImages(GalleryPage.mail(id, set, Sampler.subject(draft.subject(), data).text(), html, problems)));
                try (OutputStream out = create(GalleryPage.file(id, set))) {
                    out.write(page);
                }
                left -= page.length + html.work();
                written.add(set);
            }
        }
        pages += written.size();
        String row = GalleryPage.row(draft, variables, written, stopping);
        left -= row.length();
        return row;
    }

    /** Puts the images into a page, which can load no files. */
    private String withImages(String page) {
        int[] left = {MAX_IMAGES};
        return IMAGE.matcher(page).replaceAll(found -> {
            Optional<String> name = files.imageName(found.group(1));
            if (name.isEmpty() || left[0] < files.block(name.get()).length * 4 / 3) {
                return found.group();
            }
            String data = "data:" + ImageNames.type(found.group(1)).mediaType + ";base64," + Base64.getEncoder().encodeToString(files.block(name.get()));
            left[0] -= data.length();
            return data;
        });
    }

    private List<String> labelled(List<Problems.ProblemRow> rows, String id) {
        return rows.stream().limit(AccountFiles.MAX_WARNINGS).map(row -> new FileProblems(files).labelled(row, id)).toList();
    }

    /** Encodes a page. An unpaired surrogate, from test data or truncation, becomes a question mark. */
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
