// The bar below the preview: the selected element, with fields for its addresses and alt text.
import { html, button, link } from '../frame/dom.js';
import { coloursOf, linkChanges } from './buttons.js';
import { notify } from '../frame/dialog.js';
import { attributeChange, shownText } from './inplace.js';
import { namesAt, tagsOf } from './sourceplaces.js';

const HINT = 'Click text, a link or an image to find it in the HTML. Double-click text to edit it.';
/** The first tag in an attribute that outputs a value. */
const VALUE = /\{\{[{&~\s]*[^\s{}~#^/!>&][^{}]*\}\}/;
const FIELDS = {
  img: [['src', 'Image address'], ['alt', 'Alt text']],
  a: [['href', 'Link address']],
  area: [['href', 'Link address'], ['alt', 'Alt text']],
};

/**
 * @param code         the editor; without it, the bar stays hidden
 * @param editText     starts editing a text in the preview
 * @param goTo         shows a place in the editor
 * @param goToVariable goes to the test data of the first given name that has test data
 */
export function inspectorBar({ code, editText, goTo, goToVariable }) {
  const node = html`<div class="inspected" role="group" aria-label="Selected in the preview" @keydown=${onKey}></div>`;
  let tracked = [];

  /** @param elements places of the enclosing elements, innermost first */
  function show(place, elements, isText) {
    const text = code.text();
    const tags = tagsOf(text, elements);
    const fields = tags.flatMap(({ at, tag }) => (FIELDS[tag.name] ?? []).map(([name, label]) => ({ at, tag, name, label })));
    if (place === null && fields.length === 0) {
      hide();
      return;
    }
    forget();
    const mark = place?.from === undefined ? null : code.track(place.from, place.to, place.kind === 't');
    tracked.push(...mark ? [mark] : []);
    /** Runs with the place in the current source. */
    const here = run => () => {
      const found = mark.find();
      if (found) {
        run({ ...place, ...found });
      } else {
        hide();
      }
    };
    const hadFocus = node.contains(document.activeElement);
    const isEditable = place?.kind === 't' && isText && !text.slice(place.from, place.to).includes('{{');
    node.replaceChildren(html`
      <span class="chosen-name">${nameOf(place, tags[0]?.tag, text, isText)}</span>
      ${isEditable && button('Edit text', here(editText), { class: 'small' })}
      ${place?.kind === 'v' && button('Test data', () => goToVariable(namesAt(text, place)), { class: 'small' })}
      ${place?.block && link('/blocks/' + place.block, 'Open block')}
      ${fields.map(field => attributeField(text, field))}
      ${tags.filter(({ tag }) => tag.name === 'a').slice(0, 1).map(({ at, tag }) => coloursOf(text, at).map(each => colourField(each, at, tag.end)))}
      ${place?.from !== undefined && button('Show in editor', here(goTo), { class: 'small quiet' })}
      ${button('✕', hide, { class: 'small quiet', 'aria-label': 'Close' })}`);
    node.scrollIntoView({ block: 'nearest' });
    if (hadFocus) {
      focus();
    }
  }

  function focus() {
    (node.querySelector('input') ?? node.querySelector('button'))?.focus();
  }

  function attributeField(text, { at, tag, name, label }) {
    const found = tag.attributes.find(each => each.name === name);
    const value = found ? shownText(text.slice(found.from, found.to), { isAttribute: true }) : '';
    const mark = code.track(at, tag.end);
    tracked.push(mark);
    const input = html`
      <input type="text" value=${value} autocomplete="off" spellcheck=${name === 'alt' ? 'true' : 'false'}
        placeholder=${name === 'alt' ? 'Describe the image' : 'https://'} @change=${() => {
          const place = mark.find();
          const changed = place && attributeChange(code.text(), place.from, name, input.value);
          if (changed) {
            const copies = tag.name === 'a' && name === 'href' ? linkChanges(code.text(), place.from, input.value) : { changes: [], lines: [], left: [] };
            code.edits([changed, ...copies.changes]);
            sayCopies('link', copies);
          }
        }}>`;
    const variable = found && VALUE.exec(text.slice(found.from, found.to));
    const from = found && variable && found.from + variable.index;
    return [html`<label class="chosen-field"><span>${label}</span>${input}</label>`,
      variable && button('Test data', () => goToVariable(namesAt(text, { from, to: from + variable[0].length })),
        { class: 'small', 'aria-label': 'Test data for the ' + label.toLowerCase() })];
  }

  /** A field for a colour of a button, which changes all its equal colours, also in its copies. */
  function colourField({ kind, colour }, at, end) {
    const mark = code.track(at, end);
    tracked.push(mark);
    let shown = colour;
    const input = html`
      <input type="color" value=${colour} @change=${() => {
        const place = mark.find();
        const found = place && coloursOf(code.text(), place.from).find(each => each.kind === kind && each.colour === shown);
        if (found && input.value !== shown) {
          code.edits(found.places.map(({ from, to }) => ({ from, to, text: input.value })));
          shown = input.value;
        }
      }}>`;
    return html`<label class="chosen-field colour"><span>${kind === 'text' ? 'Text colour' : 'Button colour'}</span>${input}</label>`;
  }

  function forget() {
    tracked.forEach(mark => mark.clear());
    tracked = [];
  }

  function hide() {
    forget();
    node.hidden = !code;
    node.replaceChildren(html`<span class="hint">${HINT}</span>`);
  }

  function onKey(event) {
    if (event.key === 'Escape') {
      hide();
      code.focus();
    }
  }

  hide();
  return { node, show, focus };
}

/** Says which copies of a button for Outlook have changed with it, and which have not. @param noun link or label */
export function sayCopies(noun, { lines, left }) {
  if (left.length > 0) {
    notify(`The button’s copy for Outlook had a different ${noun}, which has not changed (line ${left.join(', ')}). Edit it in the HTML.`, 'failed');
  } else if (lines.length > 0) {
    notify(`The button’s copy for Outlook has changed, too (line ${lines.join(', ')}).`);
  }
}

/** Label of the selection. */
function nameOf(place, tag, text, isText) {
  return place?.block ? ['From shared block ', html`<code>${place.block}</code>`]
    : place?.kind === 'v' ? ['Variable ', html`<code>${text.slice(place.from, place.to).slice(0, 80)}</code>`]
      : isText && place?.kind === 't' ? 'Text' : tag?.name === 'img' ? 'Image' : tag?.name === 'a' ? 'Link'
        : ['Element ', html`<code>${tag?.name ?? '?'}</code>`];
}
