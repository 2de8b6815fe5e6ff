// Fields for the properties of a piece. A value with a tag shows its test data; a value that comes from a class names its line, and is
// overridden only on request.
import { html, button, toggle } from '../frame/dom.js';
import { attempt } from '../frame/dialog.js';
import { shownText } from '../preview/inplace.js';
import { hexOf } from './colours.js';
import { imageOf, mayBeImage } from '../images/upload.js';
import { askForImageSource } from './pieceforms.js';
import { variableMenu } from './variablemenu.js';

const LABELS = {
  label: 'Label', link: 'Link', background: 'Background', color: 'Text colour', align: 'Alignment', padding: 'Padding', radius: 'Corners', width: 'Width',
  height: 'Height', source: 'Image address', alt: 'Description',
};
const HINTS = { padding: 'e.g. 12px 26px', radius: 'e.g. 8px', width: 'e.g. 220', height: 'e.g. 24', link: 'https://', source: 'https://', alt: 'Describe the image' };
const ATTRIBUTES = ['link', 'source', 'alt'];
const IMAGE = /^\{\{>\s*images\/([^\s{}]+)\s*\}\}$/;
const TAG = /\{\{[{&~\s]*([^\s{}~|#/^!>]+)[^{}]*\}\}/;

let lastId = 0;

/**
 * The field of a property.
 *
 * @param text     the HTML that the piece is in
 * @param names    returns the names of the known variables
 * @param example  returns the test data of a variable, or undefined
 * @param onValue  receives the property and its new value
 * @param showLine shows a line of the HTML
 */
export function valueField({ name, piece, text, names, example, onValue, showLine }) {
  const ranges = piece.values?.[name] ?? [];
  const value = ranges.length > 0 ? valueIn(name, text.slice(...ranges[0])) : '';
  const line = piece.class?.[name];
  const id = 'piece-' + name + '-' + ++lastId;
  const isFromClass = line !== undefined && ranges.length === 0;
  const holder = html`<div class="field" data-property=${name}></div>`;
  const label = piece.kind === 'divider' && name === 'color' ? 'Line colour' : LABELS[name];
  const change = next => next !== value && onValue(name, next);

  /** @param isOverridden true to show a field for a value that comes from a class */
  function fill(isOverridden) {
    holder.replaceChildren(html`
      <label for=${id}>${label}</label>
      ${isFromClass && !isOverridden
        ? html`
          <p class="hint">From a style, ${button('line ' + line, () => showLine(line), { class: 'as-link' })}</p>
          ${button('Override here', () => fill(true), { class: 'small', id })}`
        : input()}
      ${valueHint()}`);
    if (isOverridden) {
      holder.querySelector('input, button')?.focus();
    }
  }

  function input() {
    switch (name) {
      case 'align':
        return alignment();
      case 'color': case 'background':
        return colour();
      case 'alt':
        return description();
      case 'label': case 'link':
        return fieldWithVariables();
      case 'source':
        return [fieldWithVariables(), button('Choose an image…', () => choose(null), { class: 'small' })];
      default:
        return plainField();
    }
  }

  function plainField() {
    const field = html`
      <input id=${id} type="text" value=${value} data-value=${name} autocomplete="off"
        spellcheck=${['alt', 'label'].includes(name) ? 'true' : 'false'} placeholder=${HINTS[name] ?? 'inherited'}
        @change=${() => change(field.value.trim())}>`;
    return field;
  }

  function colour() {
    const picker = html`
      <input type="color" aria-label="Choose the ${label.toLowerCase()}" value=${hexOf(value) ?? '#ffffff'} @change=${() => change(picker.value)}>`;
    return html`<div class="colour-input">${picker}${plainField()}</div>`;
  }

  /** The field of an image's description. The box empties it; unchecked, it goes to the field, where a description is to be entered. */
  function description() {
    const field = plainField();
    const isDecorative = ranges.length > 0 && value === '';
    const box = html`<input type="checkbox" checked=${isDecorative} @change=${() => box.checked ? onValue('alt', '') : field.focus()}>`;
    return [field, html`<label class="check">${box}<span>Decorative: needs no description</span></label>`];
  }

  /** A field with a menu that inserts a variable. */
  function fieldWithVariables() {
    const field = plainField();
    const insert = tag => {
      field.setRangeText(tag, field.selectionStart, field.selectionEnd, 'end');
      change(field.value.trim());
    };
    const menu = variableMenu({ names, insert, isShort: true, label: `Insert a variable into the ${label.toLowerCase()}` });
    return html`<div class="with-variable">${field}${menu}</div>`;
  }

  /** Sets the source to an image of the account's. @param file a dropped file, or null to choose one */
  const choose = file => attempt(async () => {
    const source = await askForImageSource(file);
    if (source !== undefined) {
      change(source);
    }
  });

  function alignment() {
    const words = { left: 'Left', center: 'Centre', right: 'Right' };
    const group = toggle(label, Object.values(words), words[value.toLowerCase()] ?? '', chosen => {
      onValue('align', Object.keys(words).find(key => words[key] === chosen));
    });
    group.node.id = id;
    return group.node;
  }

  /** The image of the account or the test data in the value; nothing for other values. */
  function valueHint() {
    const image = IMAGE.exec(value)?.[1];
    const variable = TAG.exec(value)?.[1];
    return image ? html`<p class="hint">The image ${image} of this account</p>`
      : variable && html`<p class="hint">Test data: ${example(variable) ?? 'no value'}</p>`;
  }

  fill(false);
  if (name === 'source') {
    acceptImages(holder, choose);
  }
  return holder;
}

/** Lets image files be dropped on an element. @param onImage receives the file */
function acceptImages(element, onImage) {
  element.addEventListener('dragover', event => mayBeImage(event.dataTransfer) && event.preventDefault());
  element.addEventListener('drop', event => {
    const file = imageOf(event.dataTransfer);
    if (file) {
      event.preventDefault();
      onImage(file);
    }
  });
}

/** A value as its field shows it. */
function valueIn(name, raw) {
  if (ATTRIBUTES.includes(name)) {
    return shownText(raw, { isAttribute: true });
  }
  return name === 'label' ? shownText(raw, { collapses: true }).trim() : raw.trim();
}
