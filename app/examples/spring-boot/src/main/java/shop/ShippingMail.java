package shop;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Email that notifies a customer of a shipped order. */
@Component
public class ShippingMail {
    private final RestClient templates;
    private final JdbcTemplate jdbc;

    ShippingMail(@Value("${mail.templates}") String baseUrl, @Value("${mail.key}") String key, JdbcTemplate jdbc) {
        this.templates = RestClient.builder().baseUrl(baseUrl).defaultHeader("Authorization", "Bearer " + key).build();
        this.jdbc = jdbc;
    }

    public String html(int order) {
        String customer = jdbc.queryForObject("select customer from orders where id = ?", String.class, order);
        String html = templates.get().uri("/templates/shipped?format=html").retrieve().body(String.class);
        return html.replace("{{name}}", customer).replace("{{order}}", String.valueOf(order));
    }
}
