package stet.sqlite;

import java.time.Instant;
import java.util.List;
import stet.core.Draft;
import stet.core.Samples;
import stet.core.TemplateDetails;
import stet.dao.VersionDao;

/** Receives what an import changes, template by template: {@link Staging}, a seed's new account, or nothing in a dry run. */
public interface ImportTarget {
    /** A dry run. */
    ImportTarget NONE = new ImportTarget() {
        @Override
        public void block(String name, byte[] html, byte[] sha256, List<String> blocks) {
        }

        @Override
        public void draft(Draft draft, Samples before, boolean isMoved, boolean isNewHtml) {
        }

        @Override
        public void details(String template, TemplateDetails details) {
        }

        @Override
        public void version(String template, VersionDao.Prepared prepared, Instant now) {
        }

        @Override
        public void source(String kind, String name, byte[] digest, boolean isLiveKnown, boolean keepsRollback) {
        }
    };

    /** A new or changed shared block. @param blocks shared blocks included in its HTML */
    void block(String name, byte[] html, byte[] sha256, List<String> blocks);

    /**
     * A new or changed draft or its test data.
     *
     * @param before    the template's current test data
     * @param isMoved   whether the name, subject or HTML differs
     * @param isNewHtml whether the HTML differs
     */
    void draft(Draft draft, Samples before, boolean isMoved, boolean isNewHtml);

    /** Changed details of a new or existing template. */
    void details(String template, TemplateDetails details);

    /** A version made from a template's draft. */
    void version(String template, VersionDao.Prepared prepared, Instant now);

    /**
     * The digest of a template's or shared block's files, after its other changes.
     *
     * @param kind          {@code template} or {@code block}
     * @param isLiveKnown   whether the files' author knows the version that will be live
     * @param keepsRollback whether a rollback stays in effect
     */
    void source(String kind, String name, byte[] digest, boolean isLiveKnown, boolean keepsRollback);
}
