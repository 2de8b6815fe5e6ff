package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The HTML that each operation of <em>Write</em> writes, on small emails. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PieceEditsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private PieceNodeProcess node;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        node = new PieceNodeProcess(folder);
    }

    @AfterAll
    void end() {
        if (node != null) {
            node.close();
        }
    }

    /** {@code /n} is a line break. Square brackets in a text are the selected range, for operations on text. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            <p>a</p>/n<p>b</p> | move | 'index':2 | <p>b</p>/n<p>a</p> | Text moved, 2 of 2
            <p>a</p>/n /n <p>b</p>/n | move | 'index':2 | <p>b</p>/n /n <p>a</p>/n | Text moved, 2 of 2
            <p>a</p>/n<!-- b -->/n<p>b</p> | move | 'piece':1,'index':0 | <!-- b -->/n<p>b</p>/n<p>a</p> | Text moved, 1 of 2
            <p>a</p>{{#if x}}<p>b</p>{{/if}} | move | 'list':1,'index':0 | {{#if x}}<p>a</p><p>b</p>{{/if}} | Text moved, 1 of 2
            {{#if x}}<p>b</p>{{/if}} | move | 'list':1,'index':0 | Condition cannot be moved into itself. |
            <p>a</p><table><tr><td>b</td></tr><tr><td>c</td></tr></table> | move | 'list':1,'index':0 | Only rows of a table can be moved here. |
            <p>a</p>/n<p>b</p> | duplicate |  | <p>a</p>/n<p>a</p>/n<p>b</p> | Text duplicated
            a {{b}} | duplicate |  | a {{b}}/n<div>a {{b}}</div> | Text duplicated
            <p>a</p>/n<p>b</p> | remove |  | <p>b</p> | Text deleted
            <p>a</p> | remove |  |  | Text deleted
            <p>a</p>/n <p>b</p> | wrap | 'kind':'condition','name':'vip' | {{#if vip}}/n<p>a</p>/n{{/if}}/n <p>b</p> | Text is now in a condition
            <table><tr><td>a</td></tr><tr><td>b</td></tr></table> | wrap | 'kind':'list','name':'items' | <table>{{#each items}}<tr><td>a</td></tr>{{/each}}<tr><td>b</td></tr></table> | Text is now in a list
            <p>a</p> | wrap | 'kind':'list','name':'a b' | "a b" cannot be a name here. Use letters, digits, _ and -, for example order.items. |
            {{#if x}}/n  <p>a</p>/n{{/if}}/n<p>b</p> | unwrap |  | `  <p>a</p>/n<p>b</p>` | Condition removed, its content is kept
            {{#if x}}<p>a</p>{{else}}<p>b</p>{{/if}} | unwrap |  | This condition has an {{else}}. Remove it in the HTML. |
            <p>a</p> | unwrap |  | Only a condition or a list can be removed around its content. |
            <p>a</p> | replaceByBlock | 'name':'footer' | {{> footer}} | Text replaced by footer
            <p style="color: red">a</p> | insert | 'kind':'text','index':1 | <p style="color: red">a</p>/n<p style="color: red">New text</p> | Text added
            <p>a</p> | insert | 'kind':'block','index':0,'options':{} | Enter a name. |
            <table><tr><td style="padding: 8px">a</td></tr><tr><td style="padding: 9px">b</td></tr></table> | insert | 'kind':'block','index':2,'options':{'name':'foot'} | <table><tr><td style="padding: 8px">a</td></tr><tr><td style="padding: 9px">b</td></tr>/n{{> foot}}</table> | Shared block added
            <p>a</p> | insertHtml | 'index':1,'html':'<tr><td>b</td></tr>' | <p>a</p>/n<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">/n  <tr><td>b</td></tr>/n</table> | HTML added
            <p>a</p> | insertHtml | 'index':1,'html':'<div>b' | This HTML opens elements that it does not close, or closes others. Add it in the HTML. |
            <p>a</p> | setValue | 'property':'color','value':'#fff' | <p style="color: #fff;">a</p> | Text: colour changed
            <p style='color: red'>a</p> | setValue | 'property':'color','value':'{{c}}' | <p style='color: {{c}}'>a</p> | Text: colour changed
            <p style='color: red'>a</p> | setValue | 'property':'padding','value':'4px' | <p style='color: red; padding: 4px;'>a</p> | Text: padding changed
            <p>a</p> | setValue | 'property':'padding','value':'8 16' | <p style="padding: 8px 16px;">a</p> | Text: padding changed
            <p style="padding: 1em; color: red">a</p> | setValue | 'property':'padding','value':'0 12.5 2em' | <p style="padding: 0 12.5px 2em; color: red">a</p> | Text: padding changed
            <p style="color: red">a</p> | setValue | 'property':'color','value':'17443A' | <p style="color: #17443A">a</p> | Text: colour changed
            <p style="color: red">a</p> | setValue | 'property':'color','value':'fade' | <p style="color: fade">a</p> | Text: colour changed
            <p>a</p> | setValue | 'property':'color','value':'red; x: y' | Colour cannot contain ; { } < > " or \\. |
            <p>a</p> | setValue | 'property':'align','value':'center' | <p style="text-align: center;">a</p> | Text: alignment changed
            <p>a</p> | setValue | 'property':'link','value':'u' | Text has no link that can be changed here. |
            <img src=a.png> | setValue | 'property':'source','value':'b c.png' | <img src="b c.png"> | Image: image changed
            <img src="a.png"/> | setValue | 'property':'alt','value':'A < B' | <img alt="A &lt; B" src="a.png"/> | Image: alt text changed
            <img src="a.png" width="60" style="max-width: 60px"> | setValue | 'property':'width','value':'80' | <img src="a.png" width="80" style="max-width: 80px"> | Image: width changed
            <img src="a.png"> | setValue | 'property':'link','value':'https://a?b&c={{d}}' | <a href="https://a?b&amp;c={{d}}"><img src="a.png"></a> | Image: link changed
            <img src="a.png"> | setValue | 'property':'align','value':'center' | <div align="center"><img src="a.png"></div> | Image: alignment changed
            <div align="center"><img src="a.png"></div> | setValue | 'property':'align','value':'right' | <div align="right"><img src="a.png"></div> | Image: alignment changed
            <p>x</p><table width="100%"><tr><td><img src="a.png" style="display: block;"></td></tr></table> | setValue | 'piece':1,'property':'align','value':'center' | <p>x</p><table width="100%"><tr><td align="center"><img src="a.png" style="display: block;"></td></tr></table> | Image: alignment changed
            <table><tr><td align="center" bgcolor="#123456"><a href="u" style="background:#123456;padding:8px">Go</a></td></tr></table> | setValue | 'property':'align','value':'right' | <div align="right"><table><tr><td align="center" bgcolor="#123456"><a href="u" style="background:#123456;padding:8px">Go</a></td></tr></table></div> | Button: alignment changed
            <div align="right"><table><tr><td align="center" bgcolor="#123456"><a href="u" style="background:#123456;padding:8px">Go</a></td></tr></table></div> | setValue | 'property':'align','value':'left' | <div align="left"><table><tr><td align="center" bgcolor="#123456"><a href="u" style="background:#123456;padding:8px">Go</a></td></tr></table></div> | Button: alignment changed
            <p>x</p><table width="100%"><tr><td style="padding: 4px; text-align: left"><table><tr><td align="center" bgcolor="#123456"><a href="u" style="background:#123456;padding:8px">Go</a></td></tr></table></td></tr></table> | setValue | 'piece':1,'property':'align','value':'center' | <p>x</p><table width="100%"><tr><td align="center" style="padding: 4px; text-align: left"><table><tr><td align="center" bgcolor="#123456"><a href="u" style="background:#123456;padding:8px">Go</a></td></tr></table></td></tr></table> | Button: alignment changed
            <table align="center"><tr><td align="center" bgcolor="#123456"><a href="u" style="background:#123456;padding:8px">Go</a></td></tr></table> | setValue | 'property':'align','value':'right' | <table align="right"><tr><td align="center" bgcolor="#123456"><a href="u" style="background:#123456;padding:8px">Go</a></td></tr></table> | Button: alignment changed
            <p>x</p><table style="width: 100%"><tr><td style="text-align: left"><a href="u" style="background:#123456;padding:8px">Go</a></td></tr></table> | setValue | 'piece':1,'property':'align','value':'right' | <p>x</p><table style="width: 100%"><tr><td style="text-align: right"><a href="u" style="background:#123456;padding:8px">Go</a></td></tr></table> | Button: alignment changed
            <table><tr><td bgcolor="#FFAA00"><a href="u" style="background:#fa0;padding:8px">Go</a></td></tr></table> | setValue | 'property':'background','value':'#123456' | <table><tr><td bgcolor="#123456"><a href="u" style="background:#123456;padding:8px">Go</a></td></tr></table> | Button: background changed
            <a class="button" href="u">Go</a> | setValue | 'property':'label','value':'Go & {{see}}' | <a class="button" href="u">Go &amp; {{see}}</a> | Button: label changed
            <a class="button" href="u">Go</a> | setValue | 'property':'label','value':'a\\\\{{see}}' | <a class="button" href="u">a&#92;{{see}}</a> | Button: label changed
            <a class="button" href="u">Go</a> | setValue | 'property':'background','value':'#123456' | <a class="button" href="u" style="background-color: #123456;">Go</a> | Button: background changed
            {{#each items}}<p>a</p>{{/each}} | setValue | 'property':'name','value':'order.items' | {{#each order.items}}<p>a</p>{{/each}} | List: name changed
            {{#items}}<p>a</p>{{/items}} | setValue | 'property':'name','value':'rows' | {{#rows}}<p>a</p>{{/rows}} | List: name changed
            {{#if a}}<p>a</p>{{/if}} | setValue | 'property':'name','value':'(x' | Enter a name of letters, digits, _, - and dots. |
            {{#a}}<p>a</p>{{/a}} | setValue | 'property':'name','value':'!x' | Enter a name of letters, digits, _, - and dots. |
            {{#if a}}<p>a</p>{{/if}} | setValue | 'property':'name','value':'gr\u00f6\u00dfe' | {{#if gr\u00f6\u00dfe}}<p>a</p>{{/if}} | Condition: name changed
            {{> [head]}} | setValue | 'property':'name','value':'x]' | Enter a name of letters, digits, _, - and dots. |
            {{> footer}} | setValue | 'property':'name','value':'header' | {{> header}} | Shared block: name changed
            {{> "footer"}} | setValue | 'property':'name','value':'header' | {{> "header"}} | Shared block: name changed
            <table><tr><td color="{{c}}">{{> c}}</td></tr></table> | setValue | 'property':'name','value':'d' | <table><tr><td color="{{c}}">{{> d}}</td></tr></table> | Shared block: name changed
            <table><tr><td>{{#if a}}<p>a</p>{{/if}}</td></tr></table> | setValue | 'property':'name','value':'b' | <table><tr><td>{{#if b}}<p>a</p>{{/if}}</td></tr></table> | Condition: name changed
            <p>a [[bold]] word</p> | format | 'as':'strong' | <p>a <strong>bold</strong> word</p> | Bold
            <p>a <strong>[[bold]]</strong> word</p> | format | 'as':'strong' | <p>a bold word</p> | No longer bold
            <p>a <b>very [[bold]] word</b></p> | format | 'as':'strong' | <p>a <b>very </b>bold<b> word</b></p> | No longer bold
            <p><strong>a</strong>[[b]]<strong>c</strong></p> | format | 'as':'strong' | <p><strong>abc</strong></p> | Bold
            <p>a [[b {{na]]me}} c</p> | format | 'as':'em' | <p>a <em>b {{name}}</em> c</p> | Italic
            <p>a [[b <i>c]]</i></p> | format | 'as':'em' | <p>a <em>b</em> <i>c</i></p> | Italic
            <p>[[a <b>b</b> c]]</p> | format | 'as':'em' | <p><em>a <b>b</b> c</em></p> | Italic
            <p>[[a <b>b</b> c]] d</p> | format | 'as':'strong' | <p><strong>a</strong> <b>b</b> <strong>c</strong> d</p> | Bold
            <p>[[a<br>{{b}} <em>c</em>]]</p> | format | 'as':'strong' | <p><strong>a<br>{{b}} <em>c</em></strong></p> | Bold
            <p><strong>[[a</strong> <b>b]]</b></p> | format | 'as':'strong' | <p>a b</p> | No longer bold
            <p><strong>[[a<br>b]]</strong></p> | format | 'as':'strong' | <p>a<br>b</p> | No longer bold
            <p><strong>x [[a</strong> <b>b]]</b></p> | format | 'as':'strong' | Select all of the words that are bold. |
            <p><em>x [[a</em> b]]</p> | format | 'as':'strong' | <p><em>x <strong>a</strong></em> <strong>b</strong></p> | Bold
            <p>[[a <b>b</b>]] c</p> | format | 'as':'a','href':'u' | <p><a href="u">a <b>b</b></a> c</p> | Link set
            <p><a href="v">[[a <b>b]] c</b></a></p> | format | 'as':'a','href':'u' | <p><a href="u">a <b>b c</b></a></p> | Link set
            <p><a href="v">[[a <b>b</b>]] c</a></p> | format | 'as':'a','href':'u' | <p><a href="u">a <b>b</b> c</a></p> | Link set
            <p>[[a <a href="v">b</a>]] c</p> | format | 'as':'a','href':'u' | The selection contains a link. Select words without it. |
            <p>[[a <b>b]] c</b></p> | format | 'as':'a','href':'u' | The selection crosses an element. Select words without it. |
            <p>a [[{{#if x}}b]]{{/if}}</p> | format | 'as':'em' | The selection contains a comment or a tag of a condition. Select words without them. |
            <p>{{#if x}}[[a<br>{{else}}b]]{{/if}}</p> | format | 'as':'em' | The selection contains a comment or a tag of a condition. Select words without them. |
            <p><a href="v" style="color: red">x</a> [[b]]</p> | format | 'as':'a','href':'https://b?c&d' | <p><a href="v" style="color: red">x</a> <a href="https://b?c&amp;d" style="color: red">b</a></p> | Link set
            <p><a href='v'>[[x]]</a></p> | format | 'as':'a','href':'w' | <p><a href='w'>x</a></p> | Link set
            <p>[[a</p><p>b]]</p> | format | 'as':'em' | Select words in one text. |
            <p>Hi [[]]</p> | insertVariable | 'name':'user.name' | <p>Hi {{user.name}}</p> | {{user.name}} added
            <p cla[[]]ss="x">Hi</p> | insertVariable | 'name':'user.name' | A variable can be added only in text. |
            """)
    void eachOperationMakesTheseEdits(String html, String name, String options, String after, String status) throws IOException {
        String source = html.replace("/n", "\n");
        String plain = source.replace("[[", "").replace("]]", "");
        String range = source.contains("[[") ? ",\"from\":" + source.indexOf("[[") + ",\"to\":" + (source.indexOf("]]") - 2) : "";
        Map<?, ?> all = JSON.readValue("{\"piece\":0,\"list\":0" + range + (options == null ? "" : "," + options.replace('\'', '"')) + "}", Map.class);
        JsonNode result = node.ask(Map.of("do", "one", "html", plain, "pieces", Pieces.of(plain), "name", name, "options", all));
        String written = result.has("problem") ? result.get("problem").asText() : PieceOperationsTest.apply(plain, result.get("edits")) + " | " + result.get("status").asText();
        assertEquals(((after == null ? "" : after) + (status == null ? "" : " | " + status)).replace("/n", "\n"), written);
    }
}
