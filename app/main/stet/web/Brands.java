package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Clock;
import java.util.Optional;
import stet.access.Member;
import stet.base.Fields;
import stet.core.Activity.ActivityKind;
import stet.core.Brand;
import stet.http.Response;
import stet.http.Request;

/** The look of an account's new emails: colours, font and logo. */
public final class Brands {
    private final Clock clock;

    Brands(Clock clock) {
        this.clock = clock;
    }

    /** @param brand what new emails have, also if nobody has chosen it */
    record BrandJson(Brand brand, @JsonInclude boolean isChosen) {
        static BrandJson of(Optional<Brand> chosen) {
            return new BrandJson(chosen.orElse(Brand.DEFAULT), chosen.isPresent());
        }
    }

    public Response show(Member member, Request request) {
        return Response.json(BrandJson.of(member.read(dao -> dao.brands().find(member.account().id()))));
    }

    public Response set(Member member, Request request) {
        Fields fields = request.form();
        Brand brand = Brand.of(fields.text("colour"), fields.text("background"), fields.text("font"), fields.text("logo", ""));
        Seen seen = Seen.of(fields);
        fields.end();
        long account = member.account().id();
        member.change(dao -> {
            seen.check(dao, account, dao.brands().find(account).orElse(Brand.DEFAULT), brand, ActivityKind.BRAND_CHANGED);
            dao.brands().set(account, brand, clock.instant());
        });
        return show(member, request);
    }
}
