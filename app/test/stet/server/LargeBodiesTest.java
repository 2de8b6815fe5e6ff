package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import stet.base.HeapBudget;
import stet.base.Shares;
import stet.core.Owner;
import stet.harness.Running;
import stet.http.Response;

/** Places of bodies that are sent to several clients. */
class LargeBodiesTest {
    @AutoClose
    private final Running stet = new Running();

    /** The file may be deleted by a program that cleans temporary folders. */
    @Test
    void aBodyWhoseFileWasDeletedIsHeldAgain() throws IOException {
        LargeBodies bodies = new LargeBodies(stet.db);
        Owner owner = Owner.api(1);
        Response large = Response.of(200, Response.HTML, new byte[Response.LARGE_BODY]).withETag("large");
        Shares.SharePart memory = bodies.takeMemory(owner, HeapBudget.LARGE_BYTES / 4); // all of the owner's
        Response inFile = bodies.hold(owner, large);
        Files.delete(inFile.file());
        memory.close();
        Response inMemory = bodies.hold(owner, large);
        assertNull(inMemory.file());
        assertEquals(Response.LARGE_BODY, inMemory.length());
        inMemory.close();
        inFile.close();
    }
}
