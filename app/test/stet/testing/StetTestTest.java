package stet.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import stet.core.Plan;
import stet.harness.Doubled;

/** The annotation for tests with Spring. {@code app/examples/spring-boot} uses it with Spring Boot. */
@StetTest(data = StetTestTest.DATA)
@SpringJUnitConfig(StetTestTest.App.class)
@TestPropertySource(properties = {"mail.templates=${stet.api-url}", "mail.key=${stet.key}"})
class StetTestTest {
    static final String DATA = "app/examples/stet";
    private static final String OTHER = "app/examples/junit/src/test/stet";

    @Value("${mail.templates}")
    private String url;
    @Value("${mail.key}")
    private String key;

    /** An app that reads its settings from properties. */
    @Configuration
    static class App {
        @Bean
        String settings(@Value("${mail.templates}") String url, @Value("${stet.keys.tests}") String key) {
            return url + " " + key;
        }
    }

    /** Each invocation sees a reset double. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void theAppGetsTheAddressAndTheKey(int number, StetFixture server) {
        assertEquals(server.baseUrl() + " stet-test-key", url + " " + key);
        assertEquals(0, server.requests().list().size());
        assertEquals(200, new Doubled(server.url()).get("shipped", key).status());
        server.accounts().plan("shop@example.com", Plan.NONE);
    }

    @Nested
    class InAClassInside {
        @Test
        void theSameFolderIsUsed(StetFixture server) {
            assertEquals(StetExtension.of(Path.of(DATA)).baseUrl(), server.baseUrl());
            assertEquals(server.baseUrl().toString(), url);
        }
    }

    @StetTest(data = OTHER)
    @Nested
    class WithAnotherFolder {
        @Value("${mail.templates}")
        private String own;

        @Test
        void anotherContextIsMade(StetFixture server) {
            assertEquals(StetExtension.of(Path.of(OTHER)).baseUrl(), server.baseUrl());
            assertEquals(server.baseUrl().toString(), own);
            assertNotEquals(StetExtension.of(Path.of(DATA)).baseUrl(), server.baseUrl());
        }
    }

    @Test
    void keysOfAccountsInFoldersBeginWithTheFolder(@TempDir Path folder) throws Exception {
        for (String account : new String[] {"news", "shop"}) {
            Files.writeString(Files.createDirectory(folder.resolve(account)).resolve("account.json"), ("{'email': '" + account
                    + "@example.com', 'plan': 'pro', 'keys': [{'name': 'tests', 'key': 'stet-" + account + "-key'}]}").replace('\'', '"'));
        }
        try (StetFixture server = StetFixture.start(folder)) {
            assertEquals(Map.of("news/tests", "stet-news-key", "shop/tests", "stet-shop-key"), server.keys());
        }
    }
}
