// Formats a part of a text, breaks its lines, and inserts variables and rich text, at places that the preview has told.
import { format, insertHtml, insertVariable, look } from './operations.js';
import { cleanPaste } from './pasted.js';
import { askForLink, askForVariable } from './pieceforms.js';

/**
 * @param code  the editor
 * @param names returns the names of the known variables
 * @param model returns the pieces of the present text
 * @param run   runs an operation
 */
export function texts({ code, names, model, run }) {
  /** A part of a text to format, or where to insert: places in the present text. */
  async function onFormat({ as, from, to, html: rich }) {
    const marks = code.track(from, to, true);
    const form = as === 'a' ? await askForLink() : as === 'variable' ? await askForVariable(names()) : {};
    const place = from === to && as !== 'a' ? { from, to } : marks.find();
    marks.clear();
    if (form && place) {
      run(([source, found]) => {
        switch (as) {
          case 'paste':
            return pasteRich(source, found, place, rich);
          case 'br':
            return replaced(place, '<br>', 'Line break added');
          case 'variable':
            return insertVariable(source, found, { ...place, name: form.name });
          default:
            return format(source, found, { ...place, as, ...form });
        }
      });
    }
  }

  /** A part of a text replaced by HTML. */
  function replaced({ from, to }, text, says) {
    const own = model().pieces[model().at(from)];
    return own ? { edits: [{ from, to, text }], select: { from: own.from, to: own.to + text.length - (to - from) }, says } : null;
  }

  /** Puts rich text in the place of a range. Lists become pieces after the text, because a paragraph cannot contain them. */
  function pasteRich(source, found, { from, to }, rich) {
    const blocks = cleanPaste(rich);
    const piece = model().at(from);
    if (blocks.length === 0 || piece < 0) {
      return null;
    }
    if (blocks.every(({ tag }) => tag === 'p')) {
      return replaced({ from, to }, blocks.map(block => block.html).join('<br><br>'), 'Text pasted');
    }
    const { class: css = '', style = '' } = look(source, found).text ?? {};
    const attributes = (css && ` class="${css}"`) + (style && ` style="${style}"`);
    const html = blocks.map(({ tag, html: inner }) => `<${tag}${attributes}>${inner}</${tag}>`).join('\n');
    return insertHtml(source, found, { html, list: model().pieces[piece].in, index: model().index(piece) + 1, says: 'Text pasted' });
  }

  return { onFormat };
}
