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
    public boolean isOn(long user) {
        return sql.exists("""
                select 1 from users
                where id = ? and totp_secret is not null and totp_step > 0
                """, user);
    }

    /** Starts set-up with a new secret, unless two-factor authentication is on. @return whether set-up started */
    public boolean begin(long user, byte[] secret) {
        return sql.update("""
                update users
                set totp_secret = ?, totp_step = 0
                where id = ? and totp_step = 0
                """, secret, user) > 0;
    }

    /** Turns on pending two-factor authentication. @return false if the code is invalid or nothing is pending */
    public boolean confirm(long user, String code, Instant now) {
        return !isOn(user) && acceptCode(user, code, now);
    }

    /**
     * Accepts a code from the authenticator app or a recovery code. Each code is valid only once.
     *
     * @return false if the code is invalid or has been used, or two-factor authentication is off
     */
    public boolean accept(long user, String code, Instant now) {
        return isOn(user) && (acceptCode(user, code, now) || sql.update("""
                delete from recovery_codes
                where user_id = ? and hash = ?
                """, user, recoveryHash(code)) > 0);
    }

    private boolean acceptCode(long user, String code, Instant now) {
        Optional<Factor> factor = sql.first(Factor.class, """
                select totp_secret as secret, totp_step as step from users
                where id = ? and totp_secret is not null
                """, user);
        OptionalLong step = factor.isEmpty() ? OptionalLong.empty()
                : Totp.step(factor.get().secret(), Totp.normalized(code), now, factor.get().step());
        step.ifPresent(accepted -> sql.update("""
                update users
                set totp_step = ?
                where id = ?
                """, accepted, user));
        return step.isPresent();
    }

    public int countRecoveryCodes(long user) {
        return (int) sql.number("select count(*) from recovery_codes where user_id = ?", user);
    }

    /** Replaces the user's recovery codes. */
    public void setRecoveryCodes(long user, Collection<String> codes) {
        deleteRecoveryCodes(user);
        codes.forEach(code -> sql.update("""
                insert into recovery_codes (user_id, hash)
                values (?, ?)
                """, user, recoveryHash(code)));
    }

    /** Turns two-factor authentication off. @return whether two-factor authentication was on */
    public boolean remove(long user) {
        boolean wasOn = isOn(user);
        sql.update("""
                update users
                set totp_secret = null, totp_step = 0
                where id = ?
                """, user);
        deleteRecoveryCodes(user);
        return wasOn;
    }

    private void deleteRecoveryCodes(long user) {
        sql.update("""
                delete from recovery_codes
                where user_id = ?
                """, user);
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
    public boolean isLacking(long user) {
        return sql.exists("""
                select 1 from members m join accounts a on a.id = m.account_id
                where m.user_id = ? and a.two_factor = 1 and a.deleted_at is null
                """, user) && !isOn(user);
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
