package stet.model;

import static stet.model.World.BLOCKS;
import static stet.model.World.CYD;
import static stet.model.World.EMAILS;
import static stet.model.World.IDS;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import stet.base.Json;
import stet.harness.Client.Reply;
import stet.model.ModelAccount.Key;
import stet.model.ModelAccount.Template;
import stet.model.ModelAccount.Token;
import stet.model.World.Member;

/** The steps of {@link ModelTest}, one row each. A row draws random arguments from the world and acts on both service and model. */
final class Steps {
    private static final List<Duration> STEPS = List.of(Duration.ofMillis(1), Duration.ofSeconds(61), Duration.ofHours(7), Duration.ofDays(1),
            Duration.ofDays(29), Duration.ofDays(30), Duration.ofDays(400), Duration.ofDays(-1), Duration.ofDays(-45));
    private static final List<Row> ROWS = List.of(
            // the API
            row(12, "get", Steps::get),

            // templates
            page(4, "create", (w, member) -> {
                String id = w.any(IDS);
                String copyOf = w.chance(30) ? w.any(IDS) : null;
                w.page(member, "writer", "POST", "/data/templates", with("id", id, "name", "New " + id, "copyOf", copyOf), 201,
                        () -> member.account().create(id, "New " + id, copyOf, w.model.now()));
            }),
            template(14, "save", (w, member, template) -> {
                long revision = w.seen(template.revision());
                String subject = w.anySubject();
                String html = w.anyText();
                w.page(member, "writer", "PUT", "/data/templates/" + template.id(), with("revision", revision, "subject", subject, "html", html),
                        200, () -> member.account().save(template.id(), revision, subject, html, w.model.now()));
            }),
            template(3, "rename", (w, member, template) -> {
                String name = w.any(List.of("One", "\u00c9t\u00e9", "Two"));
                String path = "/data/templates/" + template.id();
                long current = member.account().templates.containsKey(template.id()) ? w.read(member, path).get("nameRevision").asLong() : 1;
                long revision = w.seen(current);
                w.page(member, "editor", "PUT", path + "/name", with("name", name, "revision", revision), 200,
                        () -> member.account().rename(template.id(), name, revision == current, w.model.now()));
            }),
            template(12, "publish", (w, member, template) -> {
                long revision = w.seen(template.revision());
                boolean force = w.chance(30);
                w.page(member, "editor", "POST", "/data/templates/" + template.id() + "/publish", with("revision", revision, "force", force),
                        200, () -> member.account().publish(template.id(), revision, force, w.model.now()));
            }),
            template(3, "publish-again", (w, member, template) -> {
                int number = 1 + w.random.nextInt(template.versions().size() + 1);
                w.page(member, "editor", "POST", version(template, number) + "/publish", with(), 200,
                        () -> member.account().publishAgain(template.id(), number, w.model.now()));
            }),
            template(3, "restore-version", (w, member, template) -> {
                int number = 1 + w.random.nextInt(template.versions().size() + 1);
                w.page(member, "writer", "POST", version(template, number) + "/restore", with("revision", template.revision()), 200,
                        () -> member.account().restoreVersion(template.id(), number, template.revision(), w.model.now()));
            }),

            // the trash
            page(6, "delete", (w, member) -> {
                String id = w.anyId(member.account());
                w.page(member, "owner", "DELETE", "/data/templates/" + id, null, 204, () -> member.account().delete(id, w.model.now()));
            }),
            page(6, "restore", (w, member) -> {
                String id = anyTrashed(w, member.account());
                w.page(member, "editor", "POST", "/data/deletions/" + id + "/restore", with(), 200, () -> member.account().restore(id));
            }),
            page(1, "purge", (w, member) -> {
                String id = anyTrashed(w, member.account());
                w.page(member, "owner", "DELETE", "/data/deletions/" + id, null, 204, () -> {
                    member.account().trashed(id);
                    member.account().remove(id);
                });
            }),
            page(1, "empty-trash", (w, member) ->
                    w.page(member, "owner", "DELETE", "/data/deletions", null, 204, member.account()::emptyTrash)),

            // reviews by guests, and comments
            template(4, "review-link", (w, member, template) -> {
                Reply reply = w.page(member, "writer", "POST", "/data/templates/" + template.id() + "/reviews", with(), 201,
                        () -> member.account().checkReviewLink(template.id(), !member.is("editor")));
                if (reply != null) {
                    String secret = Json.readObject(reply.body()).get("url").asText().replaceFirst(".*#", "");
                    member.account().reviewLinks.put(secret, new ModelAccount.ReviewLink(template.id(), member.user(),
                            w.model.now().plus(Duration.ofDays(7))));
                }
            }),
            account(5, "review", (w, account) -> {
                if (!account.reviewLinks.isEmpty()) {
                    w.review(account, w.any(List.copyOf(account.reviewLinks.keySet())), w.chance(40) ? "text " + w.random.nextInt(1_000) : null);
                }
            }),
            template(2, "comment", (w, member, template) -> {
                String text = "text " + w.random.nextInt(1_000);
                Reply reply = w.page(member, "writer", "POST", "/data/templates/" + template.id() + "/comments", with("text", text), 200,
                        () -> member.account().comment(template.id(), text));
                if (reply != null) {
                    World.expect("comments of " + template.id(), member.account().comments.get(template.id()), World.texts(Json.readObject(reply.body())));
                }
            }),

            // mail clients
            template(3, "accept-feature", (w, member, template) -> {
                String feature = w.any(List.of("html-video", "css-float", "css-border-radius"));
                boolean isAdded = w.chance(70);
                w.page(member, "writer", "PUT", "/data/templates/" + template.id() + "/features", with(isAdded ? "add" : "remove", List.of(feature)), 200,
                        () -> member.account().accept(template.id(), feature, isAdded));
            }),
            page(2, "choose-clients", (w, member) -> {
                Set<String> chosen = w.any(List.of(Set.of("gmail"), Set.of("aol", "yahoo"), Set.of("gmail", "pine"), Set.of()));
                w.page(member, "editor", "PUT", "/data/clients", with("clients", chosen), 200, () -> member.account().chooseClients(chosen));
            }),

            // shared blocks
            page(5, "create-block", (w, member) -> {
                String name = w.any(BLOCKS);
                String html = w.anyText(name);
                w.page(member, "writer", "POST", "/data/blocks", with("name", name, "html", html), 201,
                        () -> member.account().createBlock(name, html, w.model.now()));
            }),
            page(12, "save-block", (w, member) -> {
                String name = w.anyBlock(member.account());
                long revision = w.seen(member.account().blocks.containsKey(name) ? member.account().block(name).revision() : 1);
                String html = w.anyText(name);
                w.page(member, "writer", "PUT", "/data/blocks/" + name, with("revision", revision, "html", html), 200,
                        () -> member.account().saveBlock(name, revision, html, w.model.now()));
            }),
            page(3, "delete-block", (w, member) -> {
                String name = w.anyBlock(member.account());
                w.page(member, "owner", "DELETE", "/data/blocks/" + name, null, 204, () -> member.account().deleteBlock(name));
            }),

            // images
            page(6, "add-image", (w, member) -> {
                String name = w.any(World.IMAGES);
                String address = w.any(List.copyOf(World.PICTURES.keySet()));
                w.page(member, "writer", "POST", "/data/images", with("name", name.substring(7), "file", base64(address)), 201, () -> {
                    if (member.account().blocks.containsKey(name) && !member.account().block(name).html().equals(address)) {
                        throw new ModelAccount.Refused(422);
                    }
                    member.account().putBlock(name, address, w.model.now());
                });
            }),
            page(6, "replace-image", (w, member) -> {
                String name = w.any(World.IMAGES);
                String address = w.any(List.copyOf(World.PICTURES.keySet()));
                long revision = w.seen(member.account().blocks.containsKey(name) ? member.account().block(name).revision() : 1);
                w.page(member, "writer", "PUT", "/data/" + name, with("revision", revision, "file", base64(address)), 200, () -> {
                    if (member.account().block(name).revision() != revision) {
                        throw new ModelAccount.Refused(422);
                    }
                    member.account().putBlock(name, address, w.model.now());
                });
            }),
            page(2, "delete-image", (w, member) -> {
                String name = w.any(World.IMAGES);
                w.page(member, "owner", "DELETE", "/data/" + name, null, 204, () -> member.account().deleteBlock(name));
            }),

            // files
            page(2, "export", (w, member) -> w.exported = member.account().export()),
            page(6, "import", (w, member) -> {
                ModelAccount.Files files = anyFiles(w, member.account());
                ModelAccount.Pulled pulled = anyPulled(w);
                boolean publish = w.chance(60);
                boolean overwrite = w.chance(40);
                if (!files.templates().isEmpty() || !files.blocks().isEmpty()) {
                    w.page(member, "owner", "POST", "/data/import?publish=" + publish + "&overwrite=" + overwrite, World.zip(files, pulled),
                            "application/zip", 200, () -> member.account().importFiles(files, pulled, publish, overwrite, true, w.model.now()));
                }
            }),

            page(12, "copy", (w, member) -> {
                ModelAccount there = w.any(List.copyOf(w.model.accounts.values()));
                if (there == member.account() || member.account().templates.isEmpty()) {
                    return;
                }
                String id = w.any(List.copyOf(member.account().templates.keySet()));
                boolean publish = w.chance(50);
                boolean overwrite = w.chance(40);
                w.page(member, "writer", "POST", "/data/copies/" + w.number(member, there), with("templates", List.of(id), "publish", publish,
                        "overwrite", overwrite), 200, () -> {
                    String role = there.members.get(member.user());
                    if (role == null || publish && role.equals("writer")) {
                        throw new ModelAccount.Refused(role == null ? 404 : 403);
                    }
                    there.copyHere(member.account().export(id), publish, overwrite, !role.equals("writer"), w.model.now());
                });
            }),

            // deploy tokens
            page(2, "token", (w, member) -> {
                String role = w.any(List.of("writer", "editor"));
                Integer days = w.any(Stream.of(1, 30, 0).toList());
                if (member.account().tokens.size() < 15) {
                    Reply reply = w.page(member, "owner", "POST", "/data/tokens", with("name", "ci", "role", role, "days", days == 0 ? null : days),
                            201, () -> member.account().tokens.removeIf(token -> token.hasEnded(w.model.now())));
                    if (reply != null) {
                        member.account().tokens.add(new Token(role, Json.readObject(reply.body()).get("secret").asText(),
                                days == 0 ? null : w.model.now().plus(Duration.ofDays(days))));
                    }
                }
            }),
            token(9, "push", (w, account, token) -> {
                ModelAccount.Files files = anyFiles(w, account);
                ModelAccount.Pulled pulled = anyPulled(w);
                boolean publish = w.chance(60);
                boolean overwrite = w.chance(20);
                if (!files.templates().isEmpty() || !files.blocks().isEmpty()) {
                    w.push(token, publish ? "editor" : "writer", "POST", "/push?publish=" + publish + "&overwrite=" + overwrite,
                            World.zip(files, pulled), () -> account.importFiles(files, pulled, publish, overwrite,
                                    token.role().equals("editor"), w.model.now()));
                }
            }),
            token(6, "preview", (w, account, token) -> {
                ModelAccount.Files files = anyFiles(w, account);
                String name = w.any(List.of("pr-1", "pr-2"));
                boolean publish = w.chance(60);
                if (!files.templates().isEmpty() || !files.blocks().isEmpty()) {
                    w.preview(account, token, name, files, publish, "/push?dryRun=true&overwrite=true&publish=" + publish + "&preview=" + name);
                }
            }),
            token(2, "end-preview", (w, account, token) -> {
                String name = w.any(List.of("pr-1", "pr-2"));
                if (w.push(token, "writer", "DELETE", "/push/previews/" + name, null, () -> { }) != null) {
                    account.previews.remove(name);
                }
            }),
            account(6, "review-preview", (w, account) -> account.previews.values().forEach(w::reviewPreviews)),
            token(4, "pull", (w, account, token) -> {
                boolean published = w.chance(30);
                Reply reply = w.push(token, "writer", "GET", "/pull?published=" + published, null, () -> { });
                if (reply != null) {
                    Map<String, String> entries = World.unzip(reply.body());
                    account.templates.values().forEach(template ->
                            World.expect("the source of " + template.id(), !published ? template.html() : template.live() == 0 ? null
                                    : template.served().draft(), entries.get("templates/" + template.id() + ".html")));
                    account.blocks.forEach((name, block) -> World.expect("the block " + name, World.isImage(name) ? "there" : block.html(),
                            World.isImage(name) ? entries.containsKey(name) ? "there" : null : entries.get("blocks/" + name + ".html")));
                    String json = entries.get("stet-pulled.json");
                    w.pulled = account.pulled(json == null ? null : json.getBytes(StandardCharsets.UTF_8), published);
                    World.expect("changed here", !w.pulled.templates().isEmpty() || !w.pulled.blocks().isEmpty(), json != null);
                    w.exported = account.export();
                }
            }),
            token(3, "rollback", (w, account, token) -> {
                String id = w.anyId(account);
                int number = 1 + w.random.nextInt(account.templates.containsKey(id) ? account.templates.get(id).versions().size() + 1 : 1);
                w.push(token, "editor", "POST", "/push/templates/" + id + "/rollback?to=" + number, null,
                        () -> account.rollBack(id, number, w.model.now()));
            }),

            // members
            page(5, "invite", (w, member) -> {
                String role = w.any(List.of("writer", "editor", "owner"));
                Reply reply = w.page(member, "owner", "POST", "/data/invitations", with("role", role), 201, () -> { });
                if (reply != null) {
                    String link = Json.readObject(reply.body()).at("/links/0/link").asText();
                    String secret = link.substring(link.indexOf('#') + 1);
                    w.model.invitations.put(secret, new Model.Invitation(member.account().email, role,
                            member.user(), w.model.now().plus(Duration.ofHours(72))));
                    if (w.chance(70)) {
                        join(w, w.anyMember(), secret);
                    }
                }
            }),
            page(3, "join", (w, member) -> {
                if (!w.model.invitations.isEmpty()) {
                    join(w, member, w.any(w.model.invitations.keySet()));
                }
            }),
            page(2, "change-role", (w, member) -> other(w, member, (user, number) -> {
                String role = w.any(List.of("writer", "editor", "owner"));
                w.page(member, "owner", "PUT", "/data/members/" + number, with("role", role), 204,
                        () -> w.model.changeRole(member.account(), user, role));
            })),
            page(1, "remove-user", (w, member) -> other(w, member, (user, number) ->
                    w.page(member, "owner", "DELETE", "/data/members/" + number, null, 204,
                            () -> w.model.changeRole(member.account(), user, null)))),

            // keys
            page(2, "web-key", (w, member) -> {
                Reply reply = w.page(member, "owner", "POST", "/data/keys", with("name", "web"), 201,
                        () -> member.account().checkKeyRoom());
                if (reply != null) {
                    member.account().keys.removeIf(key -> key.hasEnded(w.model.now()));
                    member.account().keys.add(new Key("web", Json.readObject(reply.body()).get("secret").asText(), null));
                }
            }),
            account(3, "key", (w, account) -> {
                String value = anyKeyValue(w);
                w.control("POST", path(account) + "/keys", with("name", value, "key", value), 201,
                        () -> w.model.addKey(account, value, w.model.now(account)));
            }),
            account(2, "rotate-key", (w, account) -> {
                if (!account.keys.isEmpty()) {
                    Key old = w.any(account.keys);
                    String value = anyKeyValue(w);
                    int hours = w.any(List.of(0, 1, 24));
                    Instant now = w.model.now(account);
                    if (account.keys.stream().filter(key -> key.name().equals(old.name())).count() == 1) {
                        w.control("POST", path(account) + "/keys/" + old.name() + "/rotate", with("key", value, "expiresIn", "PT" + hours + "H"), 201,
                                () -> w.model.rotateKey(account, old, value, now, now.plus(Duration.ofHours(hours))));
                    }
                }
            }),
            account(2, "delete-key", (w, account) -> {
                if (!account.keys.isEmpty()) {
                    String name = w.any(account.keys).name();
                    w.control("DELETE", path(account) + "/keys/" + name, null, 204,
                            () -> account.keys.removeIf(key -> key.name().equals(name)));
                }
            }),

            // controls: templates and blocks
            account(5, "put-template", (w, account) -> {
                String id = w.any(IDS);
                String name = w.chance(20) ? "Put" : null;
                String subject = w.chance(50) ? w.anySubject() : null;
                String html = w.chance(70) ? w.anyText() : null;
                boolean publish = w.chance(70);
                w.control("PUT", path(account) + "/templates/" + id, with("name", name, "subject", subject, "html", html, "publish", publish), 200,
                        () -> account.put(id, name, subject, html, publish, w.model.now(account)));
            }),
            account(2, "remove-template", (w, account) -> {
                String id = w.anyId(account);
                w.control("DELETE", path(account) + "/templates/" + id, null, 204, () -> account.remove(id));
            }),
            account(4, "put-block", (w, account) -> {
                String name = w.any(BLOCKS);
                String html = w.anyText(name);
                w.control("PUT", path(account) + "/blocks/" + name, with("html", html), 200,
                        () -> account.putBlock(name, html, w.model.now(account)));
            }),
            account(1, "remove-block", (w, account) -> {
                String name = w.anyBlock(account);
                w.control("DELETE", path(account) + "/blocks/" + name, null, 204, () -> account.deleteBlock(name));
            }),

            // controls: plans, counts, clocks, faults
            account(5, "plan", (w, account) -> {
                String plan = w.any(List.of("free", "pro", "pro", "none"));
                w.control("PATCH", path(account), with("plan", plan), 200, () -> account.changePlan(plan, w.model.now(account)));
            }),
            account(3, "limits", (w, account) -> {
                Long requests = w.any(List.of(5L, 50L, 1_000L));
                w.control("PATCH", path(account), with("limits", with("requests", requests, "keys", 3)), 200, () -> {
                    account.requestLimit = requests;
                    account.keyLimit = 3L;
                });
            }),
            account(4, "used", (w, account) -> {
                long used = w.any(List.of(0L, 3L, 49L, 99L, 4_999L));
                w.control("PATCH", path(account), with("used", used), 200, () -> account.use(w.model.now(account), used));
            }),
            row(4, "clock", w -> w.setClock(w.model.clock.plus(w.any(STEPS)))),
            account(3, "own-clock", (w, account) -> {
                Instant to = w.model.now(account).plus(w.any(STEPS));
                w.control("PUT", "/clock", with("now", to, "account", account.email), 200, () -> account.clock = to);
            }),
            account(3, "to-period-end", (w, account) ->
                    w.control("POST", "/clock/advance", with("to", "periodEnd", "account", account.email), 200,
                            () -> account.clock = account.period(w.model.now(account)).end())),
            account(2, "follow-clock", (w, account) ->
                    w.control("DELETE", "/clock?account=" + account.email, null, 204, () -> account.clock = null)),
            row(3, "fault", w -> {
                String account = w.model.accounts.isEmpty() || w.chance(40) ? null : w.anyAccount().email;
                String template = w.chance(40) ? w.any(IDS) : null;
                Integer status = w.any(Stream.of(500, 503, 401, 0).toList());
                int times = 1 + w.random.nextInt(3);
                Map<String, Object> json = with("account", account, "template", template, "times", times);
                json.put(status == 0 ? "drop" : "status", status == 0 ? true : status);
                w.control("POST", "/faults", json, 201, () -> w.model.faults.add(new Model.Fault(account, template,
                        status == 0 ? null : status, times)));
            }),
            row(2, "clear-faults", w -> w.control("DELETE", "/faults", null, 204, w.model.faults::clear)),

            // controls: accounts and resets
            row(2, "add-account", w -> {
                String email = w.chance(70) ? CYD : w.any(EMAILS);
                ModelAccount added = new ModelAccount(email);
                Instant now = w.model.now();
                added.created = now;
                added.keys.add(new Key("default", "stet-" + email.substring(0, 3) + "-9", null));
                Map<String, Object> json = with("email", email, "key", added.keys.get(0).value());
                if (w.chance(50)) {
                    added.clock = now.plus(Duration.ofDays(3));
                    json.put("clock", with("now", added.clock));
                }
                w.control("POST", "/accounts", json, 201, () -> w.model.add(added));
                w.forgetWorking();
            }),
            account(1, "delete-account", (w, account) -> {
                w.control("DELETE", path(account), null, 204, () -> w.model.delete(account.email));
                w.forgetWorking();
            }),
            row(2, "reset-account", w -> {
                String email = w.any(EMAILS);
                w.control("POST", "/accounts/" + email + "/reset", null, 204, () -> w.model.reset(email));
                w.forgetWorking();
            }),
            row(1, "reset", w -> {
                w.control("POST", "/reset", null, 204, w.model::reset);
                w.forgetWorking();
            }),

            // comparison of everything
            account(14, "look", World::look));

    private Steps() {
    }

    /** @param weight relative frequency */
    private record Row(int weight, String word, Consumer<World> work) {
    }

    /** A row with its random seed, written {@code save:4711}. */
    record Step(String word, int seed) {
        void run(World world) {
            world.random = new Random(seed);
            world.trace(this.toString());
            if (world.chance(30)) {
                world.tick();
            }
            ROWS.stream().filter(row -> row.word.equals(word)).findFirst().orElseThrow().work.accept(world);
            if (!world.model.accounts.isEmpty()) {
                world.glance(world.anyAccount());
            }
        }

        static Step any(Random random) {
            int place = random.nextInt(ROWS.stream().mapToInt(Row::weight).sum());
            for (Row row : ROWS) {
                place -= row.weight;
                if (place < 0) {
                    return new Step(row.word, random.nextInt(10_000));
                }
            }
            throw new AssertionError();
        }

        static Step of(String text) {
            return new Step(text.split(":")[0], Integer.parseInt(text.split(":")[1]));
        }

        @Override
        public String toString() {
            return word + ":" + seed;
        }
    }

    private static Row row(int weight, String word, Consumer<World> work) {
        return new Row(weight, word, work);
    }

    /** A row that concerns an account. */
    private static Row account(int weight, String word, BiConsumer<World, ModelAccount> work) {
        return row(weight, word, w -> {
            if (!w.model.accounts.isEmpty()) {
                work.accept(w, w.anyAccount());
            }
        });
    }

    /** A row of the web application, for a signed-in user who may lack the right. */
    private static Row page(int weight, String word, BiConsumer<World, Member> work) {
        return row(weight, word, w -> {
            Member member = w.anyMember();
            if (member != null) {
                work.accept(w, member);
            }
        });
    }

    private interface OfTemplate {
        void accept(World world, Member member, Template template);
    }

    /** A web row that concerns a template, which may be unknown. */
    private static Row template(int weight, String word, OfTemplate work) {
        return page(weight, word, (w, member) -> {
            String id = w.anyId(member.account());
            Template unknown = new Template(id, id, "", "", w.model.now(), 1, 0, List.of());
            work.accept(w, member, member.account().templates.getOrDefault(id, unknown));
        });
    }

    private interface OfToken {
        void accept(World world, ModelAccount account, Token token);
    }

    /** A row with a deploy token, which may have expired. */
    private static Row token(int weight, String word, OfToken work) {
        return account(weight, word, (w, account) -> {
            if (!account.tokens.isEmpty()) {
                work.accept(w, account, w.any(account.tokens));
            }
        });
    }

    private static String base64(String address) {
        return Base64.getEncoder().encodeToString(World.PICTURES.get(address));
    }

    /** An account's files, current or earlier, changed or not. */
    private static ModelAccount.Files anyFiles(World w, ModelAccount account) {
        ModelAccount.Files files = w.exported == null || w.chance(50) ? account.export() : w.exported;
        if (w.chance(30) && !files.templates().isEmpty()) {
            files.templates().computeIfPresent(w.any(files.templates().keySet()), (id, file) -> w.chance(50)
                    ? new ModelAccount.File(w.any(List.of("One", "Filed")), file.subject(), file.html(), file.published())
                    : new ModelAccount.File(file.name(), w.anySubject(), file.html(), file.published()));
        } else if (w.chance(50)) {
            files.templates().put(w.any(IDS), new ModelAccount.File("Imported", w.anySubject(), w.anyText(), w.chance(80)));
            String block = w.any(BLOCKS);
            files.blocks().put(block, w.anyText(block));
        }
        if (w.chance(20)) {
            files.blocks().put(w.any(World.IMAGES), w.any(List.copyOf(World.PICTURES.keySet())));
        }
        if (w.chance(30)) { // a block that is not among the files, perhaps with an unpublished edit
            files.blocks().remove(w.any(BLOCKS));
        }
        return files;
    }

    private static ModelAccount.Pulled anyPulled(World w) {
        return w.chance(50) ? w.pulled : ModelAccount.Pulled.NOTHING;
    }

    private static void get(World w) {
        ModelAccount account = w.model.accounts.isEmpty() ? null : w.anyAccount();
        String key = account == null || account.keys.isEmpty() || w.chance(5) ? "stet-ada-2" : w.any(account.keys).value();
        String format = w.any(List.of("", "html", "variables", "htm"));
        w.get(w.chance(10) ? "HEAD" : "GET", key, account == null ? "one" : w.anyId(account), format.isEmpty() ? null : format, w.chance(30));
    }

    private static void join(World w, Member member, String secret) {
        w.page(member, "writer", "POST", "/data/link/join", with("secret", secret), 200, () -> w.model.join(secret, member.user()));
        w.forgetWorking();
    }

    /** Another member of the account, by email address and number. */
    private static void other(World w, Member member, BiConsumer<String, Long> work) {
        List<String> others = member.account().members.keySet().stream()
                .filter(user -> !user.equals(member.user()) && !user.equals(member.account().email)).toList();
        if (others.isEmpty()) {
            return;
        }
        String user = w.any(others);
        w.read(member, "/data/members").get("users").forEach(row -> {
            if (row.get("email").asText().equals(user)) {
                work.accept(user, row.get("id").asLong());
            }
        });
    }

    private static String anyTrashed(World w, ModelAccount account) {
        return account.trash.isEmpty() ? w.any(IDS) : w.any(account.trash.keySet());
    }

    private static String anyKeyValue(World w) {
        return "stet-" + w.any(List.of("ada", "bob", "new")) + "-" + (1 + w.random.nextInt(4));
    }

    private static String path(ModelAccount account) {
        return "/accounts/" + account.email;
    }

    private static String version(Template template, int number) {
        return "/data/templates/" + template.id() + "/versions/" + number;
    }

    /** Fields of a JSON object, without null values. */
    private static Map<String, Object> with(Object... namesAndValues) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (namesAndValues[i + 1] != null) {
                fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
            }
        }
        return fields;
    }
}
