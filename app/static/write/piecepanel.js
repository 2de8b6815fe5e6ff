// The pane of the chosen piece: its words, link, colours and sizes. A change edits the value in all places that hold it.
import { html, button, link } from '../frame/dom.js';
import { contrastOf, hexOf } from './colours.js';
import { NAMES } from './kinds.js';
import { isInverse } from './model.js';
import { valueField } from './valuefields.js';

/** The fields of each kind, in order. */
const FIELDS = {
  heading: ['color', 'background', 'align', 'padding'],
  text: ['color', 'background', 'align', 'padding'],
  button: ['label', 'link', 'background', 'color', 'align', 'padding', 'radius', 'width'],
  image: ['source', 'alt', 'link', 'width', 'align', 'radius'],
  divider: ['color', 'width', 'padding'],
  space: ['height'],
  columns: ['background', 'padding'],
  imageText: ['source', 'alt', 'background', 'padding'],
  section: ['background', 'padding'],
  condition: [], list: [], block: [], code: [],
};
/** Longest HTML of a piece that is edited here. */
const MAX_CODE = 20_000;
/** Number of names to choose from. */
const MAX_NAMES = 200;
const SHORT = ['background', 'color', 'padding', 'radius', 'width', 'height'];

/**
 * @param names      returns the names of the known variables
 * @param example    returns the test data of a variable, or undefined
 * @param onValue    receives a property and its new value
 * @param onReplace  receives the new HTML of a piece of code
 * @param onFormat   receives strong, em, a or br
 * @param onEdit     starts editing the words in the preview
 * @param onClose    runs when nothing is to be chosen
 * @param showHtml   shows a piece in the HTML
 */
export function piecePanel({ names, example, onValue, onReplace, onFormat, onEdit, onClose, onWrap, onMakeBlock, onUnwrap, showHtml, showLine, chooseBlock }) {
  const node = html`<section class="pane piece-panel" aria-label="Selected part" hidden></section>`;
  let model = null;
  let chosen = -1;
  let shown = '';

  function show(next, index) {
    model = next;
    chosen = index;
    const piece = model.pieces[index];
    node.hidden = !piece;
    node.parentElement?.classList.toggle('has-piece', Boolean(piece));
    if (!piece) {
      shown = '';
      return;
    }
    const state = JSON.stringify([piece.from, piece.kind, model.text.slice(piece.from, piece.to), piece.class ?? null, example('')]);
    if (state === shown) {
      return; // keeps what is being typed
    }
    const focused = node.contains(document.activeElement) && document.activeElement.dataset.value;
    shown = state;
    node.replaceChildren(html`
      <div class="pane-head">
        <h2>${NAMES[piece.kind]}</h2>
        ${button('Details', onClose, { class: 'small quiet', 'aria-label': 'Back to details', title: 'Back to test data, checks and history (Esc)' })}
      </div>
      <div class="piece-fields">${contents(piece)}${more()}${code(piece)}${where()}</div>`);
    if (focused) {
      node.querySelector(`[data-value="${focused}"]`)?.focus();
    }
  }

  function contents(piece) {
    const own = FIELDS[piece.kind] ?? [];
    const has = name => (piece.values?.[name] ?? []).length > 0;
    // a part without words of its own has only what its HTML says
    const fields = own.filter(name => !['link', 'background', 'width', 'height', 'radius', 'label', 'source', 'alt'].includes(name) || has(name)
      || name === 'alt' || piece.class?.[name] !== undefined || piece.kind === 'button' && ['radius', 'background'].includes(name));
    const rows = [];
    for (const name of fields) {
      const row = valueField({ name, piece, text: model.text, names, example, onValue, showLine });
      const isShort = SHORT.includes(name);
      if (isShort && rows.at(-1)?.isShort && rows.at(-1).nodes.length < 2) {
        rows.at(-1).nodes.push(row);
      } else {
        rows.push({ isShort, nodes: [row] });
      }
    }
    return [
      ['heading', 'text'].includes(piece.kind) && words(),
      ['condition', 'list'].includes(piece.kind) && section(piece),
      piece.kind === 'block' && block(piece),
      rows.map(({ isShort, nodes }) => isShort ? html`<div class="two">${nodes}</div>` : nodes),
      contrast(piece),
      piece.kind === 'button' && has('radius') && html`<p class="hint">Outlook for Windows shows square corners.</p>`,
    ];
  }

  /** Buttons that format the words selected in the preview. Pressing them keeps the selection. */
  function words() {
    const keep = { '@pointerdown': event => event.preventDefault(), '@mousedown': event => event.preventDefault() };
    return html`
      <div class="words">
        <div class="row">
          ${button('Edit words', onEdit, { class: 'small' })}
          ${button(html`<b>B</b>`, () => onFormat('strong'), { class: 'small', 'aria-label': 'Bold', title: 'Bold (Ctrl+B)', ...keep })}
          ${button(html`<i>I</i>`, () => onFormat('em'), { class: 'small', 'aria-label': 'Italic', title: 'Italic (Ctrl+I)', ...keep })}
          ${button('Link…', () => onFormat('a'), { class: 'small', title: 'Link (Ctrl+K)', ...keep })}
          ${button('{ }', () => onFormat('variable'), { class: 'small', 'aria-label': 'Variable', title: 'Insert a variable at the cursor', ...keep })}
          ${button('↵', () => onFormat('br'), { class: 'small', 'aria-label': 'Line break', title: 'Line break (Shift+Enter)', ...keep })}
        </div>
        <p class="hint">Double-click the words in the email to change them. Select some to make them bold, italic or a link.</p>
      </div>`;
  }

  function section(piece) {
    const value = example(piece.name);
    return html`
      <div class="field">
        <label for="piece-name">${piece.kind === 'list' ? 'Repeated for each of' : isInverse(piece) ? 'Shown only without' : 'Shown only if'}</label>
        <input id="piece-name" class="mono" data-value="name" value=${piece.name} list="piece-names" autocomplete="off" spellcheck="false"
          @change=${event => onValue('name', event.target.value.trim())}>
        <datalist id="piece-names">${names().slice(0, MAX_NAMES).map(name => html`<option value=${name}></option>`)}</datalist>
      </div>
      <p class="hint">${value === undefined ? 'The email shows what your test data says.' : `Test data: ${value ?? 'no value'}`}</p>
      <div class="row">
        ${button(piece.kind === 'list' ? 'Stop repeating' : 'Always show', onUnwrap, { class: 'small' })}
      </div>`;
  }

  function block(piece) {
    return html`
      <p>From the shared block <code>${piece.name}</code>. A change of the block changes all emails that include it.</p>
      <div class="row">${link('/blocks/' + piece.name, 'Open block', { class: 'button small' })}${button('Use another…', chooseBlock, { class: 'small' })}</div>`;
  }

  function contrast(piece) {
    const [ink, ground] = ['color', 'background'].map(name => {
      const [first] = piece.values?.[name] ?? [];
      return first && hexOf(model.text.slice(...first));
    });
    const ratio = ink && ground && contrastOf(ink, ground);
    return ratio && html`
      <p class="hint"><b class=${ratio >= 4.5 ? 'good' : 'minus'}>Contrast ${ratio.toFixed(1)}</b> · ${ratio >= 4.5 ? 'easy to read' : ratio >= 3 ? 'hard to read' : 'very hard to read'}</p>`;
  }

  function code(piece) {
    const own = model.text.slice(piece.from, piece.to);
    const area = html`<textarea class="mono" rows="10" spellcheck="false" id="piece-code" data-value="code" value=${own}></textarea>`;
    return own.length <= MAX_CODE && html`
      <details class="piece-html" ${{ open: piece.kind === 'code' }}>
        <summary>Edit as HTML</summary>
        <div class="field"><label for="piece-code">HTML</label>${area}</div>
        <div class="row">${button('Apply', () => onReplace(area.value), { class: 'small' })}</div>
      </details>`;
  }

  function more() {
    return html`
      <div class="row more-acts">
        ${button('Condition or list…', onWrap, { class: 'small', title: 'Show it only if there is a value, or repeat it for each row of a list' })}
        ${button('Make shared block…', onMakeBlock, { class: 'small', title: 'Use it in other emails' })}
      </div>`;
  }

  function where() {
    const [first, end] = model.lines(chosen);
    return html`
      <p class="hint">
        ${first === end ? `Line ${first}` : `Lines ${first} to ${end}`} of the HTML · ${button('show', () => showHtml(chosen), { class: 'as-link' })}
      </p>`;
  }

  return {
    node, show,
    hide() {
      node.hidden = true;
      node.parentElement?.classList.remove('has-piece');
      shown = '';
    },
    focus: () => [...node.querySelectorAll('.piece-fields :is(input, textarea, select, button)')].find(each => each.checkVisibility())?.focus(),
  };
}
