package stet.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import stet.base.Fields;
import stet.base.Json;
import stet.base.Refusal;
import stet.core.TagList;

/** Reads templates from JSON returned by other systems' APIs, which it tells apart by their fields. */
final class Exports {
    private static final int MAX_NAMED = 10;
    /** Fields that are ignored without a notice: identifiers, times and settings that do not appear in emails. */
    private static final Set<String> UNIMPORTANT = Set.of("id", "user_id", "template_id", "generation", "editor", "thumbnail_url",
            "active", "warnings", "updated_at", "created_at", "published_at", "draft_updated_at", "createdAt", "updatedAt", "createdBy",
            "tag", "engine", "generate_plain_content");

    private Exports() {
    }

    /**
     * @param id   the ID that callers use; may be invalid in Stet
     * @param data an object, or null
     */
    record ExportedTemplate(String id, String name, String subject, String html, boolean published, List<String> tags, JsonNode data) {
        /** A template that callers use by its name, and of which nothing else is known. */
        private static ExportedTemplate named(String name, String subject, String html) {
            return new ExportedTemplate(name, name, subject, html, true, List.of(), null);
        }
    }

    /** Objects that may be templates: the elements of a list or of a page of results, or a single object. */
    static List<ObjectNode> items(JsonNode json, Consumer<String> notice) {
        JsonNode list = Stream.of(json, json.path("templates"), json.path("result"), json.path("items"), json.path("template"),
                        json.path("Template"), json.path("Templates"), json.path("results"), json.path("Data"), json.path("data"))
                .filter(node -> node.isArray() || node != json && node.isObject()).findFirst().orElse(json);
        List<ObjectNode> items = new ArrayList<>();
        (list.isArray() ? list : List.of(list)).forEach(item -> {
            if (item instanceof ObjectNode object) {
                items.add(object.path("template") instanceof ObjectNode inner ? inner : object);
            }
        });
        if (!items.isEmpty() && items.size() < list.size() && list.isArray()) {
            notice.accept("skipped values that are not objects: " + (list.size() - items.size()));
        }
        if (json.path("_metadata").has("next")) {
            notice.accept("further pages of this list are missing");
        }
        return items;
    }

    /**
     * Reads a template.
     *
     * @param file   name of the file, for a system whose templates have no name
     * @param notice receives sentences about what is not read
     * @return empty if the object is not a template, or has no HTML
     * @throws Refusal naming a field of the wrong type
     */
    static Optional<ExportedTemplate> template(ObjectNode item, String file, Consumer<String> notice) {
        Fields fields = new Fields(item);
        if (item.has("TemplateName") && (item.has("HtmlPart") || item.path("TemplateContent").has("Html"))) {
            return Optional.of(ofSes(fields, item, notice));
        }
        if (item.has("htmlContent")) {
            return Optional.of(ofBrevo(fields, item, notice));
        }
        if (item.has("Html-part")) {
            return Optional.of(ofMailjet(fields, item, file, notice));
        }
        if (item.path("content").has("html") && item.has("id")) {
            return Optional.of(ofSparkPost(fields, item, notice));
        }
        if (item.path("object").asText().equals("template") && item.has("html")) {
            return Optional.of(ofResend(fields, item, notice));
        }
        if (item.has("html_content")) {
            return Optional.of(ofSendGridVersion(fields.text("template_id", ""), fields.text("name", ""), item, notice));
        }
        if (item.path("versions").isArray()) {
            return ofSendGrid(fields, item, notice);
        }
        if (item.path("version") instanceof ObjectNode version && version.has("template")) {
            return Optional.of(ofMailgun(fields, item, version, notice));
        }
        return item.has("slug") && item.has("code") ? Optional.of(ofMandrill(fields, item, notice)) : Optional.empty();
    }

    // ---- Amazon SES: GetTemplate, and GetEmailTemplate of its API 2

    private static ExportedTemplate ofSes(Fields item, ObjectNode json, Consumer<String> notice) {
        String name = item.text("TemplateName", "");
        Fields content = item.object("TemplateContent");
        noticeUnread(name, json, Set.of("TemplateName", "SubjectPart", "HtmlPart", "TextPart", "TemplateContent"), notice);
        return content == null ? ExportedTemplate.named(name, item.text("SubjectPart", ""), item.text("HtmlPart", ""))
                : ExportedTemplate.named(name, content.text("Subject", ""), content.text("Html", ""));
    }

    // ---- Brevo: GET /v3/smtp/templates, and one of them

    private static ExportedTemplate ofBrevo(Fields item, ObjectNode json, Consumer<String> notice) {
        String id = json.path("id").asText();
        noticeUnread(id, json, Set.of("id", "name", "subject", "htmlContent", "isActive", "modifiedAt", "testSent", "doiTemplate"), notice);
        return new ExportedTemplate(id, item.text("name", ""), item.text("subject", ""), item.text("htmlContent", ""), item.flag("isActive", true),
                List.of(), null);
    }

    // ---- Mailjet: GET /v3/REST/template/ID/detailcontent, which does not name the template

    private static ExportedTemplate ofMailjet(Fields item, ObjectNode json, String file, Consumer<String> notice) {
        Fields headers = item.object("Headers");
        noticeUnread(file, json, Set.of("Html-part", "Text-part", "Headers", "MJMLContent"), notice);
        if (headers != null) {
            noticeUnread(file, (ObjectNode) json.get("Headers"), Set.of("Subject"), notice);
        }
        return ExportedTemplate.named(file, headers == null ? "" : headers.text("Subject", ""), item.text("Html-part", ""));
    }

    // ---- SparkPost: GET /api/v1/templates/ID

    private static ExportedTemplate ofSparkPost(Fields item, ObjectNode json, Consumer<String> notice) {
        String id = item.text("id", "");
        Fields content = item.object("content");
        noticeUnread(id, json, Set.of("id", "name", "content", "published", "last_update_time", "last_use", "has_draft", "has_published"), notice);
        noticeUnread(id, (ObjectNode) json.get("content"), Set.of("subject", "html", "text"), notice);
        return new ExportedTemplate(id, item.text("name", ""), content.text("subject", ""), content.text("html", ""), item.flag("published", true),
                List.of(), null);
    }

    // ---- Resend: GET /templates/ID

    private static ExportedTemplate ofResend(Fields item, ObjectNode json, Consumer<String> notice) {
        String alias = item.text("alias", "");
        String id = alias.isBlank() ? item.text("id", "") : alias;
        noticeUnread(id, json, Set.of("object", "id", "alias", "name", "subject", "html", "text", "status", "has_unpublished_versions",
                "current_version_id"), notice);
        return new ExportedTemplate(id, item.text("name", ""), item.text("subject", ""), item.text("html", ""),
                !item.text("status", "published").equals("draft"), List.of(), null);
    }

    // ---- SendGrid: GET /v3/templates/ID, and GET /v3/templates/ID/versions/VERSION

    private static Optional<ExportedTemplate> ofSendGrid(Fields item, ObjectNode json, Consumer<String> notice) {
        String id = item.text("id", "");
        String name = item.text("name", "");
        String template = "the template " + Source.shortened(id) + " (" + Source.shortened(name) + ")";
        Optional<ObjectNode> active = Optional.empty();
        for (JsonNode version : json.path("versions")) {
            if (version instanceof ObjectNode object && object.path("active").asInt() == 1) {
                active = Optional.of(object);
            } else {
                notice.accept(template + ": inactive version \"" + Source.shortened(version.path("name").asText()) + "\" skipped");
            }
        }
        if (active.isEmpty()) {
            notice.accept(template + " has no active version with HTML");
        } else if (!active.get().has("html_content")) {
            notice.accept(template + " has no active version with HTML; export this template separately");
        } else {
            noticeUnread(id, json, Set.of("name", "versions", "html_content", "subject", "test_data"), notice);
        }
        return active.filter(version -> version.has("html_content")).map(version -> ofSendGridVersion(id, name, version, notice));
    }

    /** @param id the template's, like the name */
    private static ExportedTemplate ofSendGridVersion(String id, String name, ObjectNode json, Consumer<String> notice) {
        Fields version = new Fields(json);
        JsonNode data = Json.tree(version.text("test_data", ""));
        boolean isData = data != null && data.isObject();
        noticeUnread(id, json, isData ? Set.of("name", "html_content", "subject", "test_data") : Set.of("name", "html_content", "subject"), notice);
        return new ExportedTemplate(id, name, version.text("subject", ""), version.text("html_content", ""), true, List.of(), isData ? data : null);
    }

    // ---- Mailgun: GET /v3/DOMAIN/templates/NAME?active=yes

    private static ExportedTemplate ofMailgun(Fields item, ObjectNode json, ObjectNode active, Consumer<String> notice) {
        Fields version = new Fields(active);
        String name = item.text("name", "");
        Fields headers = version.object("headers");
        noticeUnread(name, json, Set.of("name", "version"), notice);
        noticeUnread(name, active, Set.of("template", "headers"), notice);
        if (headers != null) {
            noticeUnread(name, (ObjectNode) active.get("headers"), Set.of("Subject"), notice);
        }
        return ExportedTemplate.named(name, headers == null ? "" : headers.text("Subject", ""), version.text("template", ""));
    }

    // ---- Mandrill: templates/info, and templates/list

    private static ExportedTemplate ofMandrill(Fields item, ObjectNode json, Consumer<String> notice) {
        String slug = item.text("slug", "");
        String code = item.text("code", "");
        String published = item.text("publish_code", null);
        String subject = item.text(published == null ? "subject" : "publish_subject", "");
        if (published != null && !(published + subject).equals(code + item.text("subject", ""))) {
            notice.accept("the draft of " + Source.shortened(slug) + " differs from the published version and was skipped");
        }
        noticeUnread(slug, json, Set.of("slug", "name", "labels", "code", "subject", "publish_name", "publish_code", "publish_subject"), notice);
        return new ExportedTemplate(slug, item.text("name", ""), subject, published == null ? code : published, published != null,
                tags(slug, item.list("labels"), notice), null);
    }

    private static List<String> tags(String slug, List<String> labels, Consumer<String> notice) {
        List<String> tags = List.of();
        List<String> others = new ArrayList<>();
        for (String label : labels) {
            try {
                List<String> with = TagList.changed(tags, List.of(label), List.of());
                if (with.size() == tags.size()) {
                    others.add(label);
                }
                tags = with;
            } catch (Refusal invalid) {
                others.add(label);
            }
        }
        if (!others.isEmpty()) {
            notice.accept(Source.shortened(slug) + ": skipped invalid or duplicate labels: " + quoted(others));
        }
        return tags;
    }

    private static void noticeUnread(String template, ObjectNode json, Set<String> read, Consumer<String> notice) {
        unread(json, read).ifPresent(sentence -> notice.accept(Source.shortened(template) + ": " + sentence));
    }

    /** A sentence with the names of fields that are not read although they may matter; empty if there are none. */
    static Optional<String> unread(ObjectNode json, Set<String> read) {
        List<String> names = json.properties().stream().filter(field -> !isEmpty(field.getValue())).map(Map.Entry::getKey)
                .filter(name -> !read.contains(name) && !UNIMPORTANT.contains(name)).toList();
        return names.isEmpty() ? Optional.empty() : Optional.of(quoted(names) + " skipped");
    }

    private static boolean isEmpty(JsonNode value) {
        return value.isContainerNode() ? value.isEmpty() : value.isNull() || value.asText().isBlank();
    }

    private static String quoted(List<String> names) {
        return names.stream().limit(MAX_NAMED).map(name -> "\"" + Source.shortened(name) + "\"").collect(Collectors.joining(", "))
                + (names.size() > MAX_NAMED ? " and " + (names.size() - MAX_NAMED) + " more" : "");
    }
}
