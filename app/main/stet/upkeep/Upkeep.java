package stet.upkeep;

import java.time.Instant;
import java.util.Optional;
import stet.sqlite.Db;

/** What keeps serve's database well: a sweeper and, if enabled, automatic backups. */
public record Upkeep(Sweeper sweeper, Optional<Backups> backups) {
    /** Without backups. */
    public static Upkeep of(Db db) {
        return new Upkeep(new Sweeper(db), Optional.empty());
    }

    public void sweep(Instant now) {
        sweeper.sweep(now);
    }
}
