package stet.web;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import stet.core.Account;
import stet.core.Json;
import stet.files.AccountFiles;
import stet.files.Export;
import stet.files.Import;
import stet.files.ImportResult;
import stet.files.Zip;
import stet.http.Answer;
import stet.http.Request;
import stet.http.Response;
import stet.store.Db;

/** The whole account as a zip: the files of the command line's import and export, by way of the browser. */
public final class Archive {
    private static final String ZIP = "application/zip";
    /** Bytes that the files of an import may have together. */
    private static final long UNPACKED_BYTES = 128 << 20;

    private final Db db;
    private final Clock clock;

    public Archive(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    /** One template after the other goes into a file, which the answer is then sent from. */
    public Response exportZip(Account account, Request request) {
        Path file = db.temporaryFile();
        try {
            db.read(dao -> {
                Zip.write(file, target -> Export.write(dao, account.id(), target));
                return file;
            });
            return Answer.file(ZIP, file).with("Content-Disposition", "attachment; filename=\"stet.zip\"");
        } catch (Throwable failure) {
            file.toFile().delete();
            throw failure;
        }
    }

    /** All of it or nothing; with {@code dryRun=true} it says what would change. */
    public Response importZip(Account account, Request request) {
        Import.Publishing publishing = request.parameters("publish").equals(List.of("true")) ? Import.Publishing.CHECKED : Import.Publishing.NONE;
        boolean dryRun = request.parameters("dryRun").equals(List.of("true"));
        try (AccountFiles files = AccountFiles.toImport(Zip.open(request.spooled(), UNPACKED_BYTES))) {
            Import work = new Import(db, account, files, publishing, clock);
            return answer(dryRun ? work.dryRun() : work.run(), files);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Response answer(ImportResult imported, AccountFiles files) {
        ObjectNode object = Json.object();
        JsonViews.texts(object.putArray("created"), imported.created());
        JsonViews.texts(object.putArray("changed"), imported.changed());
        object.put("unchanged", imported.unchanged());
        JsonViews.texts(object.putArray("blocks"), imported.blocks());
        JsonViews.texts(object.putArray("published"), imported.published());
        JsonViews.texts(object.putArray("passedOver"), files.passedOver());
        return Answer.json(Json.write(object));
    }
}
