package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import stet.access.Member;
import stet.base.Fields;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Account;
import stet.core.DailyRequests;
import stet.core.ImageNames;
import stet.core.ImageType;
import stet.dao.Dao;
import stet.dao.ImageDao;
import stet.dao.ImageDao.ImageRoom;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.images.ImageFile;

/** An account's images: names, which drafts include, and files, whose addresses sent emails contain. */
public final class Images {
    /** Start of the path at which this server serves images' files. */
    private static final String PATH = "/images/";
    /** Maximum number of names to try for a new image. */
    private static final int MAX_NAMES = 1_000;

    private final Clock clock;

    public Images(Clock clock) {
        this.clock = clock;
    }

    /**
     * A file, with the name that has it now.
     *
     * @param name     without its folder; null for an earlier file, which versions and sent emails may use
     * @param lastName the last name of an earlier file
     * @param path     the file's address on this server
     * @param requests null, like {@code today}, if they may be for another account's emails
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record ImageJson(String name, String lastName, String path, String address, long bytes, int width, int height, long revision,
                     Instant addedAt, String addedBy, long drafts, long versions, long live, Long requests, Long today) {
        static ImageJson of(ImageDao.ImageRow row, String url) {
            String name = row.name() == null ? null : shortName(row.name());
            String lastName = row.name() == null ? shortName(row.lastName()) : null;
            return new ImageJson(name, lastName, PATH + row.file(), url + "/" + row.file(), row.bytes(), row.width(), row.height(), row.revision(),
                    row.addedAt(), row.addedBy(), row.drafts(), row.versions(), row.live(), row.requests(), row.today());
        }
    }

    /** @param isPrivate whether recipients cannot load images from their address */
    record ImageList(List<ImageJson> images, ImageRoom room, boolean isPrivate) {
    }

    public Response list(Member member, Request request) {
        return Response.json(member.read(dao -> {
            String url = dao.images().url();
            List<ImageDao.ImageRow> rows = dao.images().list(member.account().id(), DailyRequests.day(clock.instant()));
            return new ImageList(rows.stream().map(row -> ImageJson.of(row, url)).toList(), dao.images().room(member.account().id()),
                    ImageNames.isPrivate(url));
        }));
    }

    /** @param stale templates whose live version has an earlier file of this image */
    record UsesJson(List<String> templates, List<String> blocks, List<String> stale) {
    }

    /** The drafts and blocks that include an image, and the templates whose live version has an earlier file of it. */
    public Response uses(Member member, Request request) {
        long account = member.account().id();
        String name = ImageNames.FOLDER + request.id();
        return Response.json(member.read(dao -> {
            Failure.NOT_FOUND.unless(dao.images().named(account, name).isPresent());
            return new UsesJson(dao.blocks().includers(account, "template", name), dao.blocks().includers(account, "block", name),
                    Blocks.stale(dao, account, name));
        }));
    }

    /** An added image. @param name without its folder */
    record AddedJson(String name, String path, int width, int height, long bytes, long revision) {
        static AddedJson of(Dao dao, long account, String name) {
            ImageDao.CurrentImage image = dao.images().named(account, name).orElseThrow();
            return new AddedJson(shortName(name), PATH + ImageNames.file(image.sha256(), ImageType.ofName(name)), image.width(), image.height(),
                    image.bytes(), image.revision());
        }
    }

    /**
     * Adds an image. Without a name, derives one from {@code fileName}; if another image has it, appends a number. A given name that another
     * image has is rejected. A file that an image of this name already has is not added again.
     */
    public Response add(Member member, Request request) {
        Account account = member.account();
        Fields fields = request.form();
        String given = fields.text("name", null);
        String fileName = fields.text("fileName", "");
        ImageFile file = file(fields);
        fields.end();
        String wanted = ImageNames.full("name", given != null ? given : ImageNames.suggested(fileName, file.type()));
        ImageNames.checkType("name", wanted, file.type());
        byte[] sha256 = Secret.sha256(file.bytes());
        return Response.json(201, member.write(dao -> {
            String name = freeName(dao, account, wanted, given == null ? MAX_NAMES : 1, sha256);
            dao.images().save(account.id(), name, file, clock.instant());
            return AddedJson.of(dao, account.id(), name);
        }));
    }

    /**
     * A name that no image has, or only one with this file: the wanted one, or the wanted one with a number.
     *
     * @param names maximum number of names to try
     * @throws Refusal if all of them are taken
     */
    private static String freeName(Dao dao, Account account, String wanted, int names, byte[] sha256) {
        String name = wanted;
        for (int number = 2; isTaken(dao, account, name, sha256); number++) {
            if (number > names) {
                throw new Refusal("name", "An image named " + shortName(name) + " already exists; choose another name, or replace the image");
            }
            name = ImageNames.numbered(wanted, number);
        }
        return name;
    }

    private static boolean isTaken(Dao dao, Account account, String name, byte[] sha256) {
        return dao.images().named(account.id(), name).filter(image -> !Arrays.equals(image.sha256(), sha256)).isPresent();
    }

    /** Replaces an image's file. Live versions keep the old file until they are published again. */
    public Response replace(Member member, Request request) {
        Account account = member.account();
        Fields fields = request.form();
        long revision = fields.number("revision");
        ImageFile file = file(fields);
        fields.end();
        String name = ImageNames.FOLDER + request.id();
        return Response.json(member.write(dao -> {
            ImageDao.CurrentImage stored = dao.images().named(account.id(), name).orElseThrow(Failure.NOT_FOUND::thrown);
            if (stored.revision() != revision) {
                throw new Refusal("revision", "This image has been replaced since you opened the page; reload the page and look at it again");
            }
            dao.images().save(account.id(), name, file, clock.instant());
            return AddedJson.of(dao, account.id(), name);
        }));
    }

    private static ImageFile file(Fields fields) {
        return ImageFile.of(fields.base64("file"));
    }

    /** Deletes an image's name; its file stays. */
    public Response delete(Member member, Request request) {
        Account account = member.account();
        String name = ImageNames.FOLDER + request.id();
        Failure.NOT_FOUND.unless(ImageNames.isImage(name));
        Failure.NOT_FOUND.unless(member.write(dao -> dao.blocks().delete(account.id(), name, clock.instant())));
        return Response.none();
    }

    /** Deletes a file for good. Emails that were sent with it no longer show it. */
    public Response deleteFile(Member member, Request request) {
        Account account = member.account();
        byte[] sha256 = ImageNames.sha256(request.id());
        Failure.NOT_FOUND.when(sha256 == null);
        Failure.NOT_FOUND.unless(member.write(dao -> dao.images().deleteFile(account.id(), sha256, clock.instant())));
        return Response.none();
    }

    /** An image's name without its folder. */
    private static String shortName(String fullName) {
        return fullName.substring(ImageNames.FOLDER.length());
    }
}
