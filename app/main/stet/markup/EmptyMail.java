package stet.markup;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.core.Brand;
import stet.core.Brand.BrandFont;

/** The email that an author begins with: a frame that every mail client shows, a headline and a text, in the account's look. */
public final class EmptyMail {
    private static final String FRAME = """
            <!doctype html>
            <html lang="en" xmlns:o="urn:schemas-microsoft-com:office:office">
            <head>
              <meta charset="utf-8">
              <meta name="viewport" content="width=device-width, initial-scale=1">
              <meta name="x-apple-disable-message-reformatting">
              <meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
              <meta name="color-scheme" content="light dark">
              <meta name="supported-color-schemes" content="light dark">
              <title>TITLE</title>
              <!--[if mso]>
              <xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml>
              <style>table, td, h1, h2, p, a { font-family: OUTLOOK !important; }</style>
              <![endif]-->
              <style>
                :root { color-scheme: light dark; }
                body { margin: 0; padding: 0; width: 100% !important; -webkit-text-size-adjust: 100%; -ms-text-size-adjust: 100%; }
                table { border-collapse: collapse; }
                @media (max-width: 600px) {
                  .pad { padding-left: 22px !important; padding-right: 22px !important; }
                }
                @media (prefers-color-scheme: dark) {
                  .back { background-color: #14171c !important; }
                  .card { background-color: #1e232b !important; }
                  .ink, .ink a { color: #eceff4 !important; }
                }
                [data-ogsc] .ink, [data-ogsc] .ink a { color: #eceff4 !important; }
                [data-ogsb] .back { background-color: #14171c !important; }
                [data-ogsb] .card { background-color: #1e232b !important; }
              </style>
            </head>
            <body class="back" style="margin: 0; padding: 0; background-color: BACKGROUND;">
              <table role="presentation" class="back" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color: BACKGROUND;">
                <tr>
                  <td align="center" style="padding: 28px 12px;">
                    <!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
                    <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width: 600px; border-collapse: separate;">
                      <tr>
                        <td class="card pad" style="padding: 32px 36px; background-color: #ffffff; border-top: 4px solid COLOUR;">
            LOGO              <h1 class="ink" style="margin: 0 0 14px; font: bold 25px/32px FONT; color: #1c2430;">Headline</h1>
                          <p class="ink" style="margin: 0 0 16px; font: 16px/25px FONT; color: #1c2430;">Write your text here.</p>
                        </td>
                      </tr>
                    </table>
                    <!--[if mso]></td></tr></table><![endif]-->
                  </td>
                </tr>
              </table>
            </body>
            </html>
            """;
    private static final String LOGO = """
                          <img src="ADDRESS" width="160" alt="" style="display: block; width: 160px; max-width: 100%; height: auto; border: 0; margin: 0 0 24px;">
            """;

    /** Places in the frame that values fill in a single pass, because a value may contain the word of another. */
    private static final Pattern GAP = Pattern.compile("TITLE|OUTLOOK|LOGO|FONT|BACKGROUND|COLOUR");

    private EmptyMail() {
    }

    /** @param title for mail clients that show one, and for screen readers */
    public static String of(Brand brand, String title) {
        Map<String, String> values = Map.of("TITLE", title.replace("&", "&amp;").replace("<", "&lt;").replace("{{", "{&#123;"),
                "OUTLOOK", brand.font() == BrandFont.GEORGIA ? "Georgia, serif" : "'Segoe UI', Arial, sans-serif",
                "LOGO", brand.logo().isEmpty() ? "" : LOGO.replace("ADDRESS", brand.logo().replace("&", "&amp;")),
                "FONT", brand.font().css, "BACKGROUND", brand.background(), "COLOUR", brand.colour());
        return GAP.matcher(FRAME).replaceAll(gap -> Matcher.quoteReplacement(values.get(gap.group())));
    }
}
