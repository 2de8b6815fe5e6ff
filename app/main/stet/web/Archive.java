package stet.web;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.util.List;
import java.util.function.Function;
import stet.core.Account;
import stet.core.Json;
import stet.files.AccountFiles;
import stet.files.Imported;
import stet.files.Zip;
import stet.http.Answer;
import stet.http.Request;
import stet.http.Response;
import stet.store.Dao;
import stet.store.Db;

/** The whole account as a zip: the files of the command line's import and export, by way of the browser. */
public final class Archive {
    private static final int ZIP_BYTES = 64 << 20;
    private static final String ZIP = "application/zip";

    private final Db db;
    private final Clock clock;

    public Archive(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    public Response exportZip(Account account, Request request) {
        byte[] zip = Zip.write(db.read(dao -> AccountFiles.of(dao, account.id())));
        return Answer.of(200, ZIP, zip)
                .with("Content-Disposition", "attachment; filename=\"stet.zip\"")
                .with("Cache-Control", "no-store");
    }

    /** All of it or nothing; with {@code dryRun=true} it says what would change. */
    public Response importZip(Account account, Request request) {
        AccountFiles files = AccountFiles.of(Zip.read(request.body(ZIP, ZIP_BYTES)));
        boolean publish = request.parameters("publish").equals(List.of("true"));
        Function<Dao, Imported> work = dao -> Imported.into(dao, account.id(), files, publish, false, clock.instant());
        Imported imported = request.parameters("dryRun").equals(List.of("true")) ? db.rehearse(work) : db.write(account, work);
        ObjectNode object = Json.object();
        Shapes.texts(object.putArray("created"), imported.created());
        Shapes.texts(object.putArray("changed"), imported.changed());
        object.put("unchanged", imported.unchanged());
        Shapes.texts(object.putArray("blocks"), imported.blocks());
        Shapes.texts(object.putArray("published"), imported.published());
        return Answer.json(Json.write(object));
    }
}
