package stet.web;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import stet.core.Activity;
import stet.core.Actor;
import stet.core.Fields;
import stet.core.Person;
import stet.core.Refusal;
import stet.core.Totp;
import stet.dao.Dao;
import stet.dao.SessionDao;
import stet.http.Answer;
import stet.http.Request;
import stet.http.Response;
import stet.sqlite.Db;

/** A person's second factor: set up by a QR code and a first code, turned off, and asked for by an account's owner. */
public final class SecondFactor {
    private static final int RECOVERY_CODES = 10;
    /** Bytes of a recovery code: 16 characters. */
    private static final int RECOVERY_BYTES = 10;

    private final Db db;
    private final Clock clock;
    private final RandomGenerator random;
    private final Sessions sessions;
    private final SignIn signIn;

    SecondFactor(Db db, Clock clock, RandomGenerator random, Sessions sessions, SignIn signIn) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.sessions = sessions;
        this.signIn = signIn;
    }

    /**
     * The state of it.
     *
     * @param recoveryCodes that are left
     * @param password      whether the person signs in by one, without which there is no second factor
     * @param required      whether the account in which the person works asks for one
     */
    record StateJson(boolean on, int recoveryCodes, boolean password, boolean required) {
    }

    /** @param secret to be typed into an app @param uri the same, for its camera */
    record BegunJson(String secret, String uri) {
    }

    public Response show(SessionDao.Session session, Request request) {
        long person = session.person().id();
        return Answer.json(db.read(dao -> new StateJson(dao.secondFactors().isOn(person),
                dao.secondFactors().recoveryCodes(person), dao.people().password(person).isPresent(),
                session.account() != null && dao.secondFactors().isRequired(session.account().id()))));
    }

    /** Makes a secret. It counts from its first code on ({@link #confirm}). */
    public Response begin(SessionDao.Session session, Request request) {
        String password = request.form(fields -> fields.text("password"));
        signIn.checkPassword(session, request, password, "password");
        byte[] secret = random(Totp.SECRET_BYTES);
        db.writeUncached(dao -> {
            if (!dao.secondFactors().begin(session.person().id(), secret)) {
                throw new Refusal("You have a second factor already: turn it off first");
            }
        });
        String text = Totp.base32(secret);
        return Answer.json(new BegunJson(Totp.inGroups(text), "otpauth://totp/Stet:"
                + URLEncoder.encode(session.person().email(), StandardCharsets.UTF_8) + "?secret=" + text + "&issuer=Stet"));
    }

    /**
     * Turns it on by a first code, and ends the person's other sessions, which began without one. The answer alone has the recovery
     * codes as they are.
     */
    public Response confirm(SessionDao.Session session, Request request) {
        String code = request.form(fields -> fields.text("code"));
        List<String> codes = newRecoveryCodes();
        change(session, request, "on", dao -> {
            SignIn.checkCode(dao.secondFactors().confirm(session.person().id(), code, clock.instant()));
            dao.secondFactors().setRecoveryCodes(session.person().id(), codes);
            dao.sessions().deleteOthers(session.person().id(), session.id());
        });
        return Answer.json(Map.of("recoveryCodes", codes));
    }

    public Response turnOff(SessionDao.Session session, Request request) {
        byCode(session, request, "off", dao -> dao.secondFactors().remove(session.person().id()));
        return Answer.none();
    }

    /** Replaces all recovery codes. */
    public Response renewRecoveryCodes(SessionDao.Session session, Request request) {
        List<String> codes = newRecoveryCodes();
        byCode(session, request, "new recovery codes", dao -> dao.secondFactors().setRecoveryCodes(session.person().id(), codes));
        return Answer.json(Map.of("recoveryCodes", codes));
    }

    /** Makes a change that takes the password and a code. */
    private void byCode(SessionDao.Session session, Request request, String state, Consumer<Dao> change) {
        Fields fields = request.form();
        String password = fields.text("password");
        String code = fields.text("code");
        fields.end();
        signIn.checkPassword(session, request, password, "password");
        change(session, request, state, dao -> {
            SignIn.checkCode(dao.secondFactors().accept(session.person().id(), code, clock.instant()));
            change.accept(dao);
        });
    }

    /** Makes a change behind a code, whose attempts the person's sessions share. @param state that the activity shows */
    private void change(SessionDao.Session session, Request request, String state, Consumer<Dao> change) {
        Person person = session.person();
        Actor actor = sessions.actor(person, request);
        SignInAttempts.Attempt attempt = sessions.attempts.ofCode("session " + person.id());
        attempt.arrive();
        db.writeUncached(dao -> {
            change.accept(dao);
            dao.as(actor).activity().addToAll(person, Activity.Kind.SECOND_FACTOR_CHANGED, state, clock.instant());
        });
        attempt.giveBack();
        db.log().info("second-factor-changed", "email", person.email(), "state", state, "address", actor.address());
    }

    private List<String> newRecoveryCodes() {
        return Stream.generate(() -> Totp.inGroups(Totp.base32(random(RECOVERY_BYTES)))).limit(RECOVERY_CODES).toList();
    }

    private byte[] random(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }
}
