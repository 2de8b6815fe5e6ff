package stet.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.test.context.ContextCustomizerFactories;

/**
 * Runs the test double for tests with Spring 6.1 or later, such as {@code @SpringBootTest}, and sets these properties of the application
 * context:
 *
 * <ul>
 * <li>{@code stet.api-url}: the base URL that the app should use, {@code http://127.0.0.1:PORT/api/v1}
 * <li>{@code stet.key}: the first key
 * <li>{@code stet.keys.<name>}: each key; if the data folder has a subfolder for each account, {@code stet.keys.<folder>.<name>}
 * </ul>
 *
 * <pre>
 * &#64;StetTest
 * &#64;SpringBootTest(properties = {"mail.templates=${stet.api-url}", "mail.key=${stet.key}"})
 * class WelcomeMailTest {
 *     &#64;Test
 *     void hasAName(StetFixture server, &#64;Autowired WelcomeMail mail) {
 * </pre>
 *
 * <p>The double is the one of {@link StetExtension} for the same folder: it is reset before each test and shared by test classes.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(StetExtension.class)
@ContextCustomizerFactories(StetProperties.Factory.class)
public @interface StetTest {
    /** Returns the folder of one or more accounts, relative to the working directory. */
    String data() default "src/test/stet";
}
