package stet.dao;

import java.time.Instant;
import java.util.Optional;
import stet.core.Activity.ActivityKind;
import stet.core.Brand;
import stet.core.Brand.BrandFont;

/** The look of accounts' new emails. */
public final class BrandDao {
    private final Sql sql;
    private final Dao dao;

    BrandDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    private record BrandRow(String colour, String background, String font, String logo) {
    }

    /** Empty until somebody has chosen a look. */
    public Optional<Brand> find(long account) {
        return sql.first(BrandRow.class, """
                select colour, background, font, logo from brands
                where account_id = ?
                """, account).map(row -> new Brand(row.colour, row.background, BrandFont.of(row.font), row.logo));
    }

    public void set(long account, Brand brand, Instant now) {
        if (!brand.equals(find(account).orElse(null))) {
            sql.update("""
                    insert or replace into brands (account_id, colour, background, font, logo)
                    values (?, ?, ?, ?, ?)
                    """, account, brand.colour(), brand.background(), brand.font().word(), brand.logo());
            dao.activity().addOnce(account, ActivityKind.BRAND_CHANGED, "", brand.colour(), now);
        }
    }
}
