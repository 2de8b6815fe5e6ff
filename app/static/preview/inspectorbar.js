// The bar below the preview: the selected element, with fields for its addresses and alt text.
import { html, button, link } from '../frame/dom.js';
import { coloursOf, linkChanges } from './buttons.js';
import { notify } from '../frame/dialog.js';
import { attributeChange, shownText } from './inplace.js';
import { namesAt, tagsOf } from './sourceplaces.js';

const HINT = 'Click text, a link or an image to find it in the HTML. Double-click text to edit it.';
/** The first tag in an attribute that outputs a value. */
const VALUE = /\{\{[{&~\s]*[^\s{}~#^/!>&][^{}]*\}\}/;
/** Maximum number of characters shown of a variable. */
const MAX_NAME = 80;
const ELEMENTS = new Map([['img', 'Image'], ['a', 'Link']]);
/** Pairs of an attribute and its label, by element. */
const FIELDS = new Map([
  ['img', [['src', 'Image address'], ['alt', 'Alt text']]],
  ['a', [['href', 'Link address']]],
  ['area', [['href', 'Link address'], ['alt', 'Alt text']]],
]);

/**
 * @param code         the editor; null to hide the bar
 * @param editText     starts editing a text in the preview
 * @param goTo         shows a place in the editor
 * @param goToVariable goes to the test data of the first given name that has test data
 */
export function inspectorBar({ code, editText, goTo, goToVariable }) {
  const node = html`<div class="inspected" role="group" aria-label="Selected in the preview" @keydown=${onKey}></div>`;
  let tracked = [];

  /**
   * Shows a place with its actions, and fields for the elements around it; without either, shows the hint.
   *
   * @param place    the place, or null
   * @param elements places of the enclosing elements, innermost first
   * @param isText   true for words that the user has chosen, not for their element
   */
  function show(place, elements, isText) {
    const text = code.text();
    const tags = tagsOf(text, elements);
    const fields = tags.flatMap(({ at, tag }) => (FIELDS.get(tag.name) ?? []).map(([name, label]) => ({ at, tag, name, label })));
    if (place === null && fields.length === 0) {
      clear();
      return;
    }
    forget();
    const hadFocus = node.contains(document.activeElement);
    const anchor = tags.find(({ tag }) => tag.name === 'a');
    node.replaceChildren(html`
      <span class="chosen-name">${nameOf(place, tags[0]?.tag, text, isText)}</span>
      ${place?.block && link('/blocks/' + place.block, 'Open block')}
      ${place?.from !== undefined && placeActions(text, place, isText)}
      ${fields.map(field => attributeField(text, field))}
      ${anchor && coloursOf(text, anchor.at).map(colour => colourField(colour, anchor))}
      ${place?.from !== undefined && button('Show in editor', atPlace(place, goTo), { class: 'small quiet' })}
      ${button('✕', close, { class: 'small quiet', 'aria-label': 'Close' })}`);
    node.scrollIntoView({ block: 'nearest' });
    if (hadFocus) {
      focus();
    }
  }

  /** Buttons for a place in the text. */
  function placeActions(text, place, isText) {
    const isEditable = place.kind === 't' && isText && !text.slice(place.from, place.to).includes('{{');
    return [
      isEditable && button('Edit text', atPlace(place, editText), { class: 'small' }),
      place.kind === 'v' && button('Test data', () => goToVariable(namesAt(text, place)), { class: 'small' }),
    ];
  }

  /** A listener that runs with the place as it then is; once it is gone, clears the bar. */
  function atPlace(place, run) {
    const mark = code.track(place.from, place.to, { grows: place.kind === 't' });
    tracked.push(mark);
    return () => {
      const found = mark.find();
      if (found) {
        run({ ...place, ...found });
      } else {
        clear();
      }
    };
  }

  function focus() {
    (node.querySelector('input') ?? node.querySelector('button'))?.focus();
  }

  /** A field for an attribute of a tag and, if its value has a variable, a button for the variable's test data. */
  function attributeField(text, { at, tag, name, label }) {
    const found = tag.attributes.find(each => each.name === name);
    const raw = found ? text.slice(found.from, found.to) : '';
    const mark = code.track(at, tag.end);
    tracked.push(mark);
    const input = html`
      <input type="text" value=${shownText(raw, { isAttribute: true })} autocomplete="off" spellcheck=${name === 'alt' ? 'true' : 'false'}
        placeholder=${name === 'alt' ? 'Describe the image' : 'https://'} @change=${() => setAttribute(mark.find(), tag, name, input.value)}>`;
    const variable = VALUE.exec(raw);
    const goToValue = () => {
      const from = found.from + variable.index;
      goToVariable(namesAt(text, { from, to: from + variable[0].length }));
    };
    return [
      html`<label class="chosen-field"><span>${label}</span>${input}</label>`,
      variable && button('Test data', goToValue, { class: 'small', 'aria-label': 'Test data for the ' + label.toLowerCase() }),
    ];
  }

  /** Sets an attribute; a button's link also in its copies. @param place of the tag; null if it is gone */
  function setAttribute(place, tag, name, value) {
    const changed = place && attributeChange(code.text(), place.from, name, value);
    if (changed) {
      const isLink = tag.name === 'a' && name === 'href';
      const copies = isLink ? linkChanges(code.text(), place.from, value) : { changes: [], lines: [], left: [] };
      code.edits([changed, ...copies.changes]);
      notifyOfCopies('link', copies);
    }
  }

  /** A field for a colour of a button, which changes all its equal colours, also in its copies. @param anchor the button's link: {at, tag} */
  function colourField({ kind, colour }, { at, tag }) {
    const mark = code.track(at, tag.end);
    tracked.push(mark);
    let shown = colour;
    const setColour = () => {
      const place = mark.find();
      const found = place && coloursOf(code.text(), place.from).find(each => each.kind === kind && each.colour === shown);
      if (found && input.value !== shown) {
        code.edits(found.places.map(({ from, to }) => ({ from, to, text: input.value })));
        shown = input.value;
      }
    };
    const input = html`<input type="color" value=${colour} @change=${setColour}>`;
    return html`<label class="chosen-field colour"><span>${kind === 'text' ? 'Text colour' : 'Button colour'}</span>${input}</label>`;
  }

  function forget() {
    tracked.forEach(mark => mark.clear());
    tracked = [];
  }

  /** Shows the hint instead of a selection; nothing without an editor. */
  function clear() {
    forget();
    node.hidden = !code;
    node.replaceChildren(html`<span class="hint">${HINT}</span>`);
  }

  function onKey(event) {
    if (event.key === 'Escape' && !event.isComposing) {
      close();
    }
  }

  /** Ends the selection, and goes to the editor. */
  function close() {
    clear();
    code.focus();
  }

  clear();
  return { node, show, focus };
}

/** Notifies the user which copies of a button for Outlook have changed with it, and which have not. @param noun link or label */
export function notifyOfCopies(noun, { lines, left }) {
  if (left.length > 0) {
    notify(`The button’s copy for Outlook had a different ${noun}, which has not changed (line ${left.join(', ')}). Edit it in the HTML.`, 'failed');
  } else if (lines.length > 0) {
    notify(`The button’s copy for Outlook has changed, too (line ${lines.join(', ')}).`);
  }
}

/** Label of the selection. @param tag start tag of the innermost element; undefined if there is none */
function nameOf(place, tag, text, isText) {
  if (place?.block) {
    return ['From shared block ', html`<code>${place.block}</code>`];
  }
  if (place?.kind === 'v') {
    return ['Variable ', html`<code>${text.slice(place.from, place.to).slice(0, MAX_NAME)}</code>`];
  }
  if (isText && place?.kind === 't') {
    return 'Text';
  }
  return ELEMENTS.get(tag?.name) ?? ['Element ', html`<code>${tag?.name ?? '?'}</code>`];
}
