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

/** @param showLine shows a line of the HTML */
export function valueField({ name, piece, text, names, example, onValue, showLine }) {
  const ranges = piece.values?.[name] ?? [];
  const raw = ranges.length > 0 ? text.slice(...ranges[0]) : '';
  const value = ATTRIBUTES.includes(name) ? shownText(raw, { isAttribute: true }) : name === 'label' ? shownText(raw, { collapses: true }).trim() : raw.trim();
  const line = piece.class?.[name];
  const id = 'piece-' + name + '-' + ++lastId;
  const isFromClass = line !== undefined && ranges.length === 0;
  const holder = html`<div class="field" data-property=${name}></div>`;
  const label = piece.kind === 'divider' && name === 'color' ? 'Line colour' : LABELS[name];
  const change = next => next !== value && onValue(name, next);

  function fill(isOverridden) {
    holder.replaceChildren(html`
      <label for=${id}>${label}</label>
      ${isFromClass && !isOverridden
        ? html`
          <p class="hint">From a style, ${button('line ' + line, () => showLine(line), { class: 'as-link' })}</p>
          ${button('Override here', () => fill(true), { class: 'small', id })}`
        : input()}
      ${note()}`);
    if (isOverridden) {
      holder.querySelector('input, button')?.focus();
    }
  }

  function input() {
    if (name === 'align') {
      return alignment();
    }
    const field = html`
      <input id=${id} type="text" value=${value} data-value=${name} autocomplete="off" spellcheck=${['alt', 'label'].includes(name) ? 'true' : 'false'}
        placeholder=${HINTS[name] ?? 'inherited'} @change=${() => change(field.value.trim())}>`;
    if (name === 'color' || name === 'background') {
      const picker = html`<input type="color" aria-label="Choose the ${label.toLowerCase()}" value=${hexOf(value) ?? '#ffffff'} @change=${() => change(picker.value)}>`;
      return html`<div class="colour-input">${picker}${field}</div>`;
    }
    if (name === 'alt') {
      const box = html`<input type="checkbox" checked=${ranges.length > 0 && value === ''} @change=${() => box.checked ? onValue('alt', '') : field.focus()}>`;
      return [field, html`<label class="check">${box}<span>Decorative: needs no description</span></label>`];
    }
    if (['label', 'link', 'source'].includes(name)) {
      const insert = tag => {
        field.setRangeText(tag, field.selectionStart, field.selectionEnd, 'end');
        change(field.value.trim());
      };
      return html`<div class="with-variable">${field}${variableMenu({ names, insert, isShort: true, label: `Insert a variable into the ${label.toLowerCase()}` })}</div>
        ${name === 'source' && button('Choose an image…', () => choose(null), { class: 'small' })}`;
    }
    return field;
  }

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

  function note() {
    const image = IMAGE.exec(value)?.[1];
    const variable = TAG.exec(value)?.[1];
    return image ? html`<p class="hint">The image ${image} of this account</p>`
      : variable && html`<p class="hint">Test data: ${example(variable) ?? 'no value'}</p>`;
  }

  fill(false);
  if (name === 'source') {
    holder.addEventListener('dragover', event => mayBeImage(event.dataTransfer) && event.preventDefault());
    holder.addEventListener('drop', event => {
      const file = imageOf(event.dataTransfer);
      if (file) {
        event.preventDefault();
        choose(file);
      }
    });
  }
  return holder;
}
