package stet.dao;

import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;
import stet.base.Secret;
import stet.base.Totp;

/**
 * A user's two-factor authentication: a secret shared with an authenticator app, and recovery codes. Each recovery code can replace the
 * app's code once.
 *
 * <pre>
 * off ── a secret is made ──► pending (step 0) ── a valid code is entered ──► on (step of the last code)
 *  ▲                                                                           │
 *  └──────────────────────── turned off, or removed by a command ──────────────┘
 * </pre>
 */
public final class TwoFactorDao {
    private final Sql sql;
    private final Dao dao;

    TwoFactorDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    private record Factor(byte[] secret, long step) {
    }

    /** Whether the user must enter a code at each sign-in with a password. */
    public boolean isOn(long person) {
        return sql.exists("""
                select 1 from people
                where id = ? and totp_secret is not null and totp_step > 0
                """, person);
    }

    /** Starts set-up with a new secret, unless two-factor authentication is on. @return whether set-up started */
    public boolean begin(long person, byte[] secret) {
        return sql.update("""
                update people
                set totp_secret = ?, totp_step = 0
                where id = ? and totp_step = 0
                """, secret, person) > 0;
    }

    /** Turns on pending two-factor authentication. @return false if the code is invalid or nothing is pending */
    public boolean confirm(long person, String code, Instant now) {
        return !isOn(person) && acceptCode(person, code, now);
    }

    /** Accepts a code from the authenticator app or a recovery code. Each code is valid only once. */
    public boolean accept(long person, String code, Instant now) {
        return isOn(person) && (acceptCode(person, code, now) || sql.update("""
                delete from recovery_codes
                where person_id = ? and hash = ?
                """, person, recoveryHash(code)) > 0);
    }

    private boolean acceptCode(long person, String code, Instant now) {
        Optional<Factor> factor = sql.first(Factor.class, """
                select totp_secret as secret, totp_step as step from people
                where id = ? and totp_secret is not null
                """, person);
        OptionalLong step = factor.isEmpty() ? OptionalLong.empty()
                : Totp.step(factor.get().secret(), Totp.normalized(code), now, factor.get().step());
        step.ifPresent(accepted -> sql.update("""
                update people
                set totp_step = ?
                where id = ?
                """, accepted, person));
        return step.isPresent();
    }

    public int recoveryCodes(long person) {
        return (int) sql.number("select count(*) from recovery_codes where person_id = ?", person);
    }

    public void setRecoveryCodes(long person, Collection<String> codes) {
        deleteRecoveryCodes(person);
        codes.forEach(code -> sql.update("""
                insert into recovery_codes (person_id, hash)
                values (?, ?)
                """, person, recoveryHash(code)));
    }

    /** Turns two-factor authentication off. @return whether two-factor authentication was on */
    public boolean remove(long person) {
        boolean wasOn = isOn(person);
        sql.update("""
                update people
                set totp_secret = null, totp_step = 0
                where id = ?
                """, person);
        deleteRecoveryCodes(person);
        return wasOn;
    }

    private void deleteRecoveryCodes(long person) {
        sql.update("""
                delete from recovery_codes
                where person_id = ?
                """, person);
    }

    private static byte[] recoveryHash(String code) {
        return Secret.sha256(Totp.normalized(code));
    }

    public boolean isRequired(long account) {
        return sql.exists("""
                select 1 from accounts
                where id = ? and two_factor = 1
                """, account);
    }

    /** Whether one of the user's accounts requires two-factor authentication that the user has not set up. */
    public boolean isLacking(long person) {
        return sql.exists("""
                select 1 from members m join accounts a on a.id = m.account_id
                where m.person_id = ? and a.two_factor = 1 and a.deleted_at is null
                """, person) && !isOn(person);
    }

    /** @return whether the setting changed */
    public boolean setRequired(long account, boolean isRequired) {
        return sql.update("""
                update accounts
                set two_factor = ?1
                where id = ?2 and two_factor <> ?1
                """, isRequired, account) > 0;
    }
}
