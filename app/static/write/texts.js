// Formats a part of a text, breaks its lines, and inserts variables and rich text, at places that the preview reports.
import { lookOf } from './kinds.js';
import { format, insertHtml, insertVariable } from './operations.js';
import { cleanPaste } from './pasted.js';
import { askForLink, askForVariable } from './pieceforms.js';

/**
 * @param code  the editor
 * @param names returns the names of the known variables
 * @param model returns the pieces of the present text
 * @param run   runs an operation
 */
export function texts({ code, names, model, run }) {
  /**
   * Formats a part of a text, or inserts in its place, after asking for what that needs.
   *
   * @param wanted {as, from, to, html}: `as` is strong, em, a, br, variable or paste (of `html`), at a place in the present text
   */
  async function onFormat(wanted) {
    const isEmpty = wanted.from === wanted.to;
    const mark = code.track(wanted.from, wanted.to, { grows: true });
    const form = wanted.as === 'a' && !isEmpty ? await askForLink() : wanted.as === 'variable' ? await askForVariable(names()) : {};
    const place = isEmpty ? { from: wanted.from, to: wanted.to } : mark.find(); // an empty range cannot be tracked
    mark.clear();
    if (form && place) {
      run(([source, found]) => changeOf(source, found, place, { ...wanted, ...form }));
    }
  }

  /** The operation's result. @param wanted as for onFormat, with the address of a link or the name of a variable */
  function changeOf(source, found, place, { as, href, name, html: rich }) {
    switch (as) {
      case 'paste':
        return pasteRich(source, found, place, rich);
      case 'br':
        return replaced(place, '<br>', 'Line break added');
      case 'variable':
        return insertVariable(source, found, { ...place, name });
      default:
        return format(source, found, { ...place, as, href });
    }
  }

  /** The edit that replaces a part of a text by HTML; null if it is in no piece. */
  function replaced({ from, to }, text, status) {
    const own = model().pieces[model().at(from)];
    return own ? { edits: [{ from, to, text }], select: { from: own.from, to: own.to + text.length - (to - from) }, status } : null;
  }

  /**
   * The edits that put rich text in the place of a range; null if there is no text, or no piece. With lists, which a paragraph cannot contain, the
   * range stays, and what is pasted becomes pieces after its text.
   */
  function pasteRich(source, found, { from, to }, rich) {
    const blocks = cleanPaste(rich);
    const piece = model().at(from);
    if (blocks.length === 0 || piece < 0) {
      return null;
    }
    if (blocks.every(({ tag }) => tag === 'p')) {
      return replaced({ from, to }, blocks.map(block => block.html).join('<br><br>'), 'Text pasted');
    }
    const { class: css = '', style = '' } = lookOf(source, found).text ?? {};
    const attributes = (css && ` class="${css}"`) + (style && ` style="${style}"`);
    const html = blocks.map(({ tag, html: inner }) => `<${tag}${attributes}>${inner}</${tag}>`).join('\n');
    return insertHtml(source, found, { html, list: model().pieces[piece].in, index: model().index(piece) + 1, status: 'Text pasted' });
  }

  return { onFormat };
}
