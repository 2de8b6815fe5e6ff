package shop;

import java.io.IOException;

/** Email that notifies a customer of a shipped order. */
public final class ShippingMail {
    private final TemplateClient templates;

    public ShippingMail(TemplateClient templates) {
        this.templates = templates;
    }

    public String html(String name, String order) throws IOException, InterruptedException {
        return templates.html("shipped").replace("{{name}}", name).replace("{{order}}", order);
    }
}
