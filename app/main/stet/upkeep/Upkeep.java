package stet.upkeep;

import java.time.Instant;
import java.util.Optional;
import stet.sqlite.Db;

/** Maintenance of serve's database: a sweeper and, if enabled, automatic backups. */
public record Upkeep(Sweeper sweeper, Optional<Backups> backups) {
    /** Without backups. */
    public static Upkeep of(Db db) {
        return new Upkeep(new Sweeper(db), Optional.empty());
    }

    public void sweep(Instant now) {
        sweeper.sweep(now);
    }
}
