package stet.web;

import java.net.URI;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLSocketFactory;
import stet.access.DeployTokens;
import stet.access.Links;
import stet.access.OwnSessions;
import stet.access.Sessions;
import stet.access.Sessions.SignInSettings;
import stet.access.SignIn;
import stet.access.TwoFactor;
import stet.base.Lazy;
import stet.core.SecretKind;
import stet.http.Assets;
import stet.images.ImageProbe;
import stet.mail.Mailer;
import stet.sqlite.Db;
import stet.upkeep.Backups;

/** The components of the web application, which share one database. */
public record Web(Sessions sessions, OwnSessions ownSessions, SignIn signIn, TwoFactor twoFactor, Users users, Profile profile, Links links, Templates templates,
                  Starters starters, Drafts drafts, MailClients mailClients, Brands brands, Previews previews, Presence presence,
                  Publishing publishing, Publications publications, Reviews reviews, Comments comments, Blocks blocks, Images images,
                  ImagesAddress imagesAddress,
                  ActivityPage activity, Dashboard dashboard, Installation installation, ZipFiles zipFiles, SecretsPage keys, SecretsPage tokens,
                  DeployTokens deployTokens, Push push, WebhookPage webhook, MailTests mailTests, MailSettings mailSettings, Copies copies,
                  Assets assets) {
    /** Time limit of a test of the images' address. */
    private static final Duration IMAGES_TIMEOUT = Duration.ofSeconds(10);

    /**
     * Parts that the server provides.
     *
     * @param backups the server's automatic backups, if enabled
     * @param webhook depends on the server's settings
     * @param mailer  empty if no emails are sent
     * @param probe   the image that tests of the images' address load
     */
    public record Parts(Optional<Backups> backups, WebhookPage webhook, Optional<Mailer> mailer, Lazy<ImageProbe> probe) {
    }

    /** Creates the components for a database. */
    public static Web over(Db db, Clock clock, SignInSettings settings, Parts parts) {
        SecureRandom random = new SecureRandom();
        URI baseUrl = settings.baseUrl();
        Optional<Backups> backups = parts.backups;
        Optional<Mailer> mailer = parts.mailer;
        Previews previews = new Previews(random, db.read(dao -> dao.images().url()));
        Starters starters = new Starters();
        Templates templates = new Templates(clock, random, starters, mailer.isPresent());
        Sessions sessions = new Sessions(db, clock, random, settings, mailer.isPresent());
        Reviews reviews = new Reviews(db, clock, random, baseUrl, sessions, previews);
        SignIn signIn = new SignIn(db, clock, sessions);
        ZipFiles zipFiles = new ZipFiles(clock);
        return new Web(sessions, new OwnSessions(clock, sessions), signIn, new TwoFactor(clock, random, sessions, signIn),
                new Users(clock, random, baseUrl, sessions), new Profile(clock, random, sessions, signIn), new Links(db, clock, sessions), templates,
                starters, new Drafts(clock, previews), new MailClients(clock), new Brands(clock), previews, new Presence(clock),
                new Publishing(clock, templates, previews), new Publications(clock), reviews, new Comments(clock),
                new Blocks(clock), new Images(clock),
                new ImagesAddress(parts.probe, () -> (SSLSocketFactory) SSLSocketFactory.getDefault(), IMAGES_TIMEOUT),
                new ActivityPage(), new Dashboard(backups, clock),
                new Installation(backups, clock, random, sessions), zipFiles, new SecretsPage(SecretKind.KEY, clock, random),
                new SecretsPage(SecretKind.TOKEN, clock, random), new DeployTokens(db, clock, sessions), new Push(clock, random, baseUrl, zipFiles),
                parts.webhook, new MailTests(clock, sessions, reviews), new MailSettings(clock, random, sessions, mailer),
                new Copies(clock, sessions, zipFiles),
                new Assets());
    }
}
