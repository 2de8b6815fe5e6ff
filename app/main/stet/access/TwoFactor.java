package stet.access;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import stet.base.Fields;
import stet.base.Refusal;
import stet.base.Totp;
import stet.core.Activity;
import stet.core.User;
import stet.dao.Dao;
import stet.http.Response;
import stet.http.Request;

/** Sets up a user's two-factor authentication with a QR code and a first code, and turns it off. */
public final class TwoFactor {
    private static final int RECOVERY_CODES = 10;
    /** Length of a recovery code in bytes, which are shown as 16 characters. */
    private static final int RECOVERY_BYTES = 10;

    private final Clock clock;
    private final RandomGenerator random;
    private final Sessions sessions;
    private final SignIn signIn;

    public TwoFactor(Clock clock, RandomGenerator random, Sessions sessions, SignIn signIn) {
        this.clock = clock;
        this.random = random;
        this.sessions = sessions;
        this.signIn = signIn;
    }

    /**
     * The state of a user's two-factor authentication.
     *
     * @param recoveryCodes number of unused recovery codes
     * @param password      true if the user has a password, which two-factor authentication requires
     * @param required      true if the current account requires two-factor authentication
     */
    record StateJson(boolean on, int recoveryCodes, boolean password, boolean required) {
    }

    /** @param secret the secret to type into an authenticator app @param uri the URI to scan as a QR code */
    record BegunJson(String secret, String uri) {
    }

    public Response show(SignedIn self, Request request) {
        long user = self.user().id();
        return Response.json(self.read(dao -> new StateJson(dao.twoFactors().isOn(user),
                dao.twoFactors().countRecoveryCodes(user), dao.users().password(user).isPresent(),
                self.account() != null && dao.twoFactors().isRequired(self.account().id()))));
    }

    private record RecoveryCodesJson(List<String> recoveryCodes) {
    }

    /** Generates a secret, which takes effect when {@link #confirm} receives a code. */
    public Response begin(SignedIn self, Request request) {
        String password = request.form(fields -> fields.text("password"));
        signIn.checkPassword(self, request, password, "password");
        byte[] secret = randomBytes(Totp.SECRET_BYTES);
        self.change(dao -> {
            if (!dao.twoFactors().begin(self.user().id(), secret)) {
                throw new Refusal("Two-factor authentication is already on; turn it off first");
            }
        });
        String text = Totp.base32(secret);
        return Response.json(new BegunJson(Totp.inGroups(text), "otpauth://totp/Stet:"
                + URLEncoder.encode(self.user().email(), StandardCharsets.UTF_8) + "?secret=" + text + "&issuer=Stet"));
    }

    /**
     * Turns on two-factor authentication with a first code, and ends the user's other sessions, which began without a code.
     * Only this response contains these recovery codes in plain text.
     */
    public Response confirm(SignedIn self, Request request) {
        String code = request.form(fields -> fields.text("code"));
        List<String> codes = newRecoveryCodes();
        change(self, "on", dao -> {
            if (!dao.twoFactors().confirm(self.user().id(), code, clock.instant())) {
                throw SignIn.wrongCode();
            }
            dao.twoFactors().setRecoveryCodes(self.user().id(), codes);
            dao.sessions().deleteOthers(self.user().id(), self.session().id());
        });
        return Response.json(new RecoveryCodesJson(codes));
    }

    public Response turnOff(SignedIn self, Request request) {
        changeByCode(self, request, "off", dao -> dao.twoFactors().remove(self.user().id()));
        return Response.none();
    }

    /** Replaces all recovery codes. */
    public Response renewRecoveryCodes(SignedIn self, Request request) {
        List<String> codes = newRecoveryCodes();
        changeByCode(self, request, "new recovery codes", dao -> dao.twoFactors().setRecoveryCodes(self.user().id(), codes));
        return Response.json(new RecoveryCodesJson(codes));
    }

    /** Makes a change that requires the password and a code. @param state as for {@link #change} */
    private void changeByCode(SignedIn self, Request request, String state, Consumer<Dao> change) {
        Fields fields = request.form();
        String password = fields.text("password");
        String code = fields.text("code");
        fields.end();
        signIn.checkPassword(self, request, password, "password");
        change(self, state, dao -> {
            if (!dao.twoFactors().accept(self.user().id(), code, clock.instant())) {
                throw SignIn.wrongCode();
            }
            change.accept(dao);
        });
    }

    /**
     * Makes a change that checks a code itself. The limit on attempts applies to all of the user's sessions together.
     *
     * @param state the new state, as shown in the activity log
     */
    private void change(SignedIn self, String state, Consumer<Dao> change) {
        User user = self.user();
        SignInAttempts.Attempt attempt = sessions.attempts.ofCode("session " + user.id());
        attempt.arrive();
        self.change(dao -> {
            change.accept(dao);
            dao.activity().addToAll(user, Activity.ActivityKind.TWO_FACTOR_CHANGED, state, clock.instant());
            if (sessions.sendsMail) {
                dao.mails().addTwoFactorNotice(user, clock.instant());
            }
        });
        attempt.refund();
    }

    private List<String> newRecoveryCodes() {
        return Stream.generate(() -> Totp.inGroups(Totp.base32(randomBytes(RECOVERY_BYTES)))).limit(RECOVERY_CODES).toList();
    }

    private byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }
}
