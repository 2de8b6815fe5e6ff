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

    /** @param file name of the file @return null if the object is not a template @throws stet.base.Refusal naming a field of the wrong type */
    static ExportedTemplate template(ObjectNode item, String file, Consumer<String> notice) {
        Fields fields = new Fields(item);
        if (item.has("TemplateName") && (item.has("HtmlPart") || item.path("TemplateContent").has("Html"))) {
            return ofSes(fields, item, notice);
        }
        if (item.has("htmlContent")) {
            return ofBrevo(fields, item, notice);
        }
        if (item.has("Html-part")) {
            return ofMailjet(fields, item, file, notice);
        }
        if (item.path("content").has("html") && item.has("id")) {
            return ofSparkPost(fields, item, notice);
        }
        if (item.path("object").asText().equals("template") && item.has("html")) {
            return ofResend(fields, item, notice);
        }
        if (item.has("html_content")) {
            return ofSendGrid(fields, item, item, notice);
        }
        if (item.path("versions").isArray()) {
            return ofSendGrid(fields, item, activeVersion(fields, item, notice), notice);
        }
        if (item.path("version") instanceof ObjectNode version && version.has("template")) {
            return ofMailgun(fields, item, version, notice);
        }
        return item.has("slug") && item.has("code") ? ofMandrill(fields, item, notice) : null;
    }

    // ---- Amazon SES: GetTemplate, and GetEmailTemplate of its API 2

    private static ExportedTemplate ofSes(Fields item, ObjectNode json, Consumer<String> notice) {
        String name = item.text("TemplateName", "");
        Fields content = item.object("TemplateContent");
        notice(name, json, Set.of("TemplateName", "SubjectPart", "HtmlPart", "TextPart", "TemplateContent"), notice);
        return content == null ? new ExportedTemplate(name, name, item.text("SubjectPart", ""), item.text("HtmlPart", ""), true, List.of(), null)
                : new ExportedTemplate(name, name, content.text("Subject", ""), content.text("Html", ""), true, List.of(), null);
    }

    // ---- Brevo: GET /v3/smtp/templates, and one of them

    private static ExportedTemplate ofBrevo(Fields item, ObjectNode json, Consumer<String> notice) {
        String id = json.path("id").asText();
        notice(id, json, Set.of("id", "name", "subject", "htmlContent", "isActive", "modifiedAt", "testSent", "doiTemplate"), notice);
        return new ExportedTemplate(id, item.text("name", ""), item.text("subject", ""), item.text("htmlContent", ""), item.flag("isActive", true),
                List.of(), null);
    }

    // ---- Mailjet: GET /v3/REST/template/ID/detailcontent, which does not name the template

    private static ExportedTemplate ofMailjet(Fields item, ObjectNode json, String file, Consumer<String> notice) {
        Fields headers = item.object("Headers");
        notice(file, json, Set.of("Html-part", "Text-part", "Headers", "MJMLContent"), notice);
        if (headers != null) {
            notice(file, (ObjectNode) json.get("Headers"), Set.of("Subject"), notice);
        }
        return new ExportedTemplate(file, file, headers == null ? "" : headers.text("Subject", ""), item.text("Html-part", ""), true, List.of(), null);
    }

    // ---- SparkPost: GET /api/v1/templates/ID

    private static ExportedTemplate ofSparkPost(Fields item, ObjectNode json, Consumer<String> notice) {
        String id = item.text("id", "");
        Fields content = item.object("content");
        notice(id, json, Set.of("id", "name", "content", "published", "last_update_time", "last_use", "has_draft", "has_published"), notice);
        notice(id, (ObjectNode) json.get("content"), Set.of("subject", "html", "text"), notice);
        return new ExportedTemplate(id, item.text("name", ""), content.text("subject", ""), content.text("html", ""), item.flag("published", true),
                List.of(), null);
    }

    // ---- Resend: GET /templates/ID

    private static ExportedTemplate ofResend(Fields item, ObjectNode json, Consumer<String> notice) {
        String alias = item.text("alias", "");
        String id = alias.isBlank() ? item.text("id", "") : alias;
        notice(id, json, Set.of("object", "id", "alias", "name", "subject", "html", "text", "status", "has_unpublished_versions",
                "current_version_id"), notice);
        return new ExportedTemplate(id, item.text("name", ""), item.text("subject", ""), item.text("html", ""),
                !item.text("status", "published").equals("draft"), List.of(), null);
    }

    // ---- SendGrid: GET /v3/templates/ID, and GET /v3/templates/ID/versions/VERSION

    private static ObjectNode activeVersion(Fields fields, ObjectNode item, Consumer<String> notice) {
        String template = "the template " + Source.named(fields.text("id", "")) + " (" + Source.named(fields.text("name", "")) + ")";
        ObjectNode active = null;
        for (JsonNode version : item.path("versions")) {
            if (version instanceof ObjectNode object && object.path("active").asInt() == 1) {
                active = object;
            } else {
                notice.accept(template + ": inactive version \"" + Source.named(version.path("name").asText()) + "\" skipped");
            }
        }
        if (active == null || !active.has("html_content")) {
            notice.accept(template + " has no active version with HTML" + (active == null ? "" : "; export this template separately"));
        }
        return active;
    }

    private static ExportedTemplate ofSendGrid(Fields item, ObjectNode json, ObjectNode active, Consumer<String> notice) {
        if (active == null || !active.has("html_content")) {
            return null;
        }
        Fields version = new Fields(active);
        String id = json == active ? version.text("template_id", "") : item.text("id", "");
        JsonNode data = Json.tree(version.text("test_data", ""));
        boolean isData = data != null && data.isObject();
        notice(id, json, Set.of("name", "versions", "html_content", "subject", "test_data"), notice);
        notice(id, active, isData ? Set.of("name", "html_content", "subject", "test_data")
                : Set.of("name", "html_content", "subject"), notice);
        return new ExportedTemplate(id, item.text("name", ""), version.text("subject", ""), version.text("html_content", ""), true, List.of(),
                isData ? data : null);
    }

    // ---- Mailgun: GET /v3/DOMAIN/templates/NAME?active=yes

    private static ExportedTemplate ofMailgun(Fields item, ObjectNode json, ObjectNode active, Consumer<String> notice) {
        Fields version = new Fields(active);
        String name = item.text("name", "");
        Fields headers = version.object("headers");
        notice(name, json, Set.of("name", "version"), notice);
        notice(name, active, Set.of("template", "headers"), notice);
        if (headers != null) {
            notice(name, (ObjectNode) active.get("headers"), Set.of("Subject"), notice);
        }
        return new ExportedTemplate(name, name, headers == null ? "" : headers.text("Subject", ""), version.text("template", ""), true, List.of(), null);
    }

    // ---- Mandrill: templates/info, and templates/list

    private static ExportedTemplate ofMandrill(Fields item, ObjectNode json, Consumer<String> notice) {
        String slug = item.text("slug", "");
        String code = item.text("code", "");
        String published = item.text("publish_code", null);
        String subject = item.text(published == null ? "subject" : "publish_subject", "");
        if (published != null && !(published + subject).equals(code + item.text("subject", ""))) {
            notice.accept("the draft of " + Source.named(slug) + " differs from the published version and was skipped");
        }
        notice(slug, json, Set.of("slug", "name", "labels", "code", "subject", "publish_name", "publish_code", "publish_subject"), notice);
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
            } catch (Refusal noTag) {
                others.add(label);
            }
        }
        if (!others.isEmpty()) {
            notice.accept(Source.named(slug) + ": skipped invalid or duplicate labels: " + quoted(others));
        }
        return tags;
    }

    private static void notice(String template, ObjectNode json, Set<String> read, Consumer<String> notice) {
        unread(json, read).ifPresent(sentence -> notice.accept(Source.named(template) + ": " + sentence));
    }

    /** A sentence with the names of ignored fields that may matter; empty if there are none. */
    static Optional<String> unread(ObjectNode json, Set<String> read) {
        List<String> names = json.properties().stream().filter(field -> !read.contains(field.getKey()) && !UNIMPORTANT.contains(field.getKey())
                && (field.getValue().isContainerNode() ? !field.getValue().isEmpty() : !field.getValue().isNull() && !field.getValue().asText().isBlank()))
                .map(Map.Entry::getKey).toList();
        return names.isEmpty() ? Optional.empty() : Optional.of(quoted(names) + " skipped");
    }

    private static String quoted(List<String> names) {
        return names.stream().limit(MAX_NAMED).map(name -> "\"" + Source.named(name) + "\"").collect(Collectors.joining(", "))
                + (names.size() > MAX_NAMED ? " and " + (names.size() - MAX_NAMED) + " more" : "");
    }
}
