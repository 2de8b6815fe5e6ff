package stet.web;

import java.net.URI;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLSocketFactory;
import stet.access.AuthHeader;
import stet.access.DeployTokens;
import stet.access.Links;
import stet.access.OwnSessions;
import stet.access.Sessions;
import stet.access.SignIn;
import stet.access.TrustedProxies;
import stet.access.TwoFactor;
import stet.base.Lazy;
import stet.core.SecretKind;
import stet.http.Assets;
import stet.images.ImageProbe;
import stet.mail.Mailer;
import stet.sqlite.Db;
import stet.upkeep.Backups;

/** The components of the web application, which share one database. */
public record Web(Sessions sessions, OwnSessions ownSessions, SignIn signIn, TwoFactor twoFactor, Users users, Links links, Templates templates,
                  Starters starters, Drafts drafts, MailClients mailClients, Brands brands, Previews previews, Presence presence,
                  Publishing publishing, Publications publications, Reviews reviews, Comments comments, Blocks blocks, Images images, ImagesAddress imagesAddress,
                  ActivityPage activity, Dashboard dashboard, Installation installation, ZipFiles zipFiles, SecretsPage keys, SecretsPage tokens,
                  DeployTokens deployTokens, Push push, WebhookPage webhook, MailTests mailTests, MailSettings mailSettings, Copies copies,
                  Assets assets) {
    /** Time limit of a test of the images' address. */
    private static final Duration IMAGES_TIMEOUT = Duration.ofSeconds(10);

    /**
     * @param baseUrl    Stet's URL for browsers, without a trailing slash
     * @param proxies    proxies trusted to report client addresses
     * @param authHeader header in which a proxy names the user
     * @param setUp      the set-up link's secret, or null if there is no link
     * @param mailer     empty if no emails are sent
     * @param probe      the image that tests of the images' address load
     */
    public static Web over(Db db, Optional<Backups> backups, Clock clock, URI baseUrl, TrustedProxies proxies, AuthHeader authHeader, String setUp,
            WebhookPage webhook, Optional<Mailer> mailer, Lazy<ImageProbe> probe) {
        SecureRandom random = new SecureRandom();
        Previews previews = new Previews(random, db.read(dao -> dao.images().url()));
        Starters starters = new Starters();
        Templates templates = new Templates(clock, random, starters, mailer.isPresent());
        Sessions sessions = new Sessions(db, clock, random, baseUrl, proxies, authHeader, setUp, mailer.isPresent());
        Reviews reviews = new Reviews(db, clock, random, baseUrl, sessions, previews);
        SignIn signIn = new SignIn(db, clock, sessions);
        ZipFiles zipFiles = new ZipFiles(clock);
        return new Web(sessions, new OwnSessions(clock, sessions), signIn, new TwoFactor(clock, random, sessions, signIn),
                new Users(clock, random, baseUrl, sessions, signIn), new Links(db, clock, sessions), templates,
                starters, new Drafts(clock, previews), new MailClients(clock), new Brands(clock), previews, new Presence(clock),
                new Publishing(clock, templates, previews), new Publications(clock), reviews, new Comments(clock),
                new Blocks(clock), new Images(clock), new ImagesAddress(probe, () -> (SSLSocketFactory) SSLSocketFactory.getDefault(), IMAGES_TIMEOUT),
                new ActivityPage(), new Dashboard(backups, clock),
                new Installation(backups, clock, random, sessions), zipFiles, new SecretsPage(SecretKind.KEY, clock, random),
                new SecretsPage(SecretKind.TOKEN, clock, random), new DeployTokens(db, clock, sessions), new Push(clock, random, baseUrl, zipFiles),
                webhook, new MailTests(clock, sessions, reviews), new MailSettings(clock, random, sessions, mailer),
                new Copies(clock, sessions, zipFiles),
                new Assets());
    }
}
