package stet.testing;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/** Adds a double's address and keys to an application context's properties. Spring shares a context between tests with equal folders. */
record StetProperties(String data) implements ContextCustomizer {
    /** Created by Spring for {@link StetTest}. */
    static final class Factory implements ContextCustomizerFactory {
        @Override
        public ContextCustomizer createContextCustomizer(Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
            return new StetProperties(StetExtension.dataOf(testClass));
        }
    }

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        StetFixture server = StetExtension.fixtureOf(data);
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("stet.api-url", server.baseUrl().toString());
        server.keys().forEach((name, key) -> {
            properties.putIfAbsent("stet.key", key);
            properties.put("stet.keys." + name.replace('/', '.'), key);
        });
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("stet test double", properties));
    }
}
