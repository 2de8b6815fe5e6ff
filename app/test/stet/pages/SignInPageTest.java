package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** Sign-in leads to the page named by the link, or to the template list if that is not one of our pages. */
@Tag("browser")
@ExtendWith(Chromium.class)
class SignInPageTest {
    private static final String PASSWORD = "correct horse";

    @AutoClose
    private static final Running stet = new Running();
    private static final Account ada = stet.account("ada@example.com", Plan.PRO, PASSWORD);

    @ParameterizedTest(name = "{0} leads to {1}")
    @CsvSource(quoteCharacter = '`', textBlock = """
            /usage,                      /usage,   Usage
            /keys?x=1#y,                 /keys,    Keys
            ``,                          /,        No templates yet
            /signin,                     /,        No templates yet
            //evil.example,              /,        No templates yet
            /\\evil.example,             /,        No templates yet
            \\\\evil.example,            /,        No templates yet
            /%5Cevil.example,            /,        No templates yet
            /%2Fevil.example,            /,        No templates yet
            /.//evil.example,            /,        No templates yet
            /\t/evil.example,            /,        No templates yet
            `\t//evil.example`,          /,        No templates yet
            http:evil.example,           /,        No templates yet
            https://evil.example/usage,  /,        No templates yet
            https://[,                   /,        No templates yet
            javascript:document.title=1, /,        No templates yet
            data:text/html;x,            /,        No templates yet
            /templates/%ff,              /,        No templates yet
            """)
    void aSignInLeadsOnlyToOurPages(String to, String path, String heading, Window window) {
        String address = "/signin?to=" + URLEncoder.encode(to, StandardCharsets.UTF_8);
        window.open(stet, address).type("Email", ada.name()).type("Password", PASSWORD).click("Sign in").heading(heading);
        assertEquals(path, window.path());
        window.open(stet, address).heading(heading);
        assertEquals(path, window.path(), "signed in already");
    }
}
