// The pane of the chosen piece: its words, link, colours and sizes. A change edits the value in all places that hold it.
import { html, button, link } from '../frame/dom.js';
import { contrastOf, hexOf } from './colours.js';
import { NAMES } from './kinds.js';
import { isInverse } from './model.js';
import { nameList } from './pieceforms.js';
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
/** Fields that are shown only for a value in the HTML or in a class; other fields can add one. */
const OF_VALUES = ['link', 'background', 'width', 'height', 'radius', 'label', 'source'];
/** Longest HTML of a piece that is edited here. */
const MAX_CODE = 20_000;
/** Fields of which two are side by side. */
const SHORT = ['background', 'color', 'padding', 'radius', 'width', 'height'];
/** Least contrast of text that is easy to read (WCAG 2.2, AA), and of large text. */
const GOOD_CONTRAST = 4.5;
const POOR_CONTRAST = 3;

/**
 * @param names      returns the names of the known variables
 * @param example    returns the test data of a variable, or undefined
 * @param onValue    receives a property and its new value
 * @param onReplace  receives the new HTML of the piece
 * @param onFormat   receives strong, em, a, br or variable
 * @param onEdit     starts editing the words in the preview
 * @param onClose    runs when nothing is to be chosen
 * @param onWrap     puts the piece into a condition or list; `onUnwrap` removes one around its content
 * @param onMakeBlock makes a shared block of the piece; `onUseBlock` chooses another for one
 * @param showHtml   shows a piece in the HTML; `showLine`, a line
 */
export function piecePanel({
  names, example, onValue, onReplace, onFormat, onEdit, onClose, onWrap, onUnwrap, onMakeBlock, onUseBlock, showHtml, showLine,
}) {
  const node = html`<section class="pane piece-panel" aria-label="Selected part" hidden></section>`;
  let model = null;
  let chosen = -1;
  let shown = '';

  /** Shows the fields of a piece; hides the pane for -1. What is being typed stays as long as the piece is the same. */
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
    const own = model.text.slice(piece.from, piece.to);
    const state = JSON.stringify([piece.from, piece.kind, own, piece.class ?? null]);
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
      <div class="piece-fields">${contents(piece)}${moreActions()}${codeField(piece.kind, own)}${linesOfHtml()}</div>`);
    if (focused) {
      node.querySelector(`[data-value="${focused}"]`)?.focus();
    }
  }

  /** The actions and fields that belong to a piece's kind. */
  function contents(piece) {
    return [
      ['heading', 'text'].includes(piece.kind) && formatButtons(),
      ['condition', 'list'].includes(piece.kind) && sectionFields(piece),
      piece.kind === 'block' && blockActions(piece),
      inPairs(fieldsOf(piece)).map(each => {
        const fields = each.map(name => valueField({ name, piece, text: model.text, names, example, onValue, showLine }));
        return SHORT.includes(each[0]) ? html`<div class="two">${fields}</div>` : fields;
      }),
      contrastHint(piece),
      piece.kind === 'button' && hasValue(piece, 'radius') && html`<p class="hint">Outlook for Windows shows square corners.</p>`,
    ];
  }

  /** Buttons that format the words selected in the preview. Pressing them keeps the selection. */
  function formatButtons() {
    const keep = { '@pointerdown': event => event.preventDefault(), '@mousedown': event => event.preventDefault() };
    return html`
      <div class="words">
        <div class="row">
          ${button('Edit words', onEdit, { class: 'small' })}
          ${button(html`<b>B</b>`, () => onFormat('strong'), { class: 'small', 'aria-label': 'Bold', title: 'Bold (Ctrl+B)', ...keep })}
          ${button(html`<i>I</i>`, () => onFormat('em'), { class: 'small', 'aria-label': 'Italic', title: 'Italic (Ctrl+I)', ...keep })}
          ${button('Link…', () => onFormat('a'), { class: 'small', title: 'Link (Ctrl+K)', ...keep })}
          ${button('{ }', () => onFormat('variable'), {
            class: 'small', 'aria-label': 'Variable', title: 'Insert a variable at the cursor', ...keep })}
          ${button('↵', () => onFormat('br'), { class: 'small', 'aria-label': 'Line break', title: 'Line break (Shift+Enter)', ...keep })}
        </div>
        <p class="hint">Double-click the words in the email to change them. Select some to make them bold, italic or a link.</p>
      </div>`;
  }

  /** The name of a condition's or list's variable, and the button that removes its tags. */
  function sectionFields(piece) {
    const value = example(piece.name);
    return html`
      <div class="field">
        <label for="piece-name">${piece.kind === 'list' ? 'Repeated for each of' : isInverse(piece) ? 'Shown only without' : 'Shown only if'}</label>
        <input id="piece-name" class="mono" data-value="name" value=${piece.name} list="piece-names" autocomplete="off" spellcheck="false"
          @change=${event => onValue('name', event.target.value.trim())}>
        ${nameList('piece-names', names())}
      </div>
      <p class="hint">${value === undefined ? 'The email shows what your test data says.' : `Test data: ${value ?? 'no value'}`}</p>
      <div class="row">
        ${button(piece.kind === 'list' ? 'Stop repeating' : 'Always show', onUnwrap, { class: 'small' })}
      </div>`;
  }

  /** Where a shared block is changed, and the button that uses another. */
  function blockActions(piece) {
    return html`
      <p>From the shared block <code>${piece.name}</code>. A change of the block changes all emails that include it.</p>
      <div class="row">
        ${link('/blocks/' + piece.name, 'Open block', { class: 'button small' })}${button('Use another…', onUseBlock, { class: 'small' })}
      </div>`;
  }

  /** The contrast of a piece's text with its background; null unless both colours are literal. */
  function contrastHint(piece) {
    const [ink, ground] = ['color', 'background'].map(name => {
      const [first] = piece.values?.[name] ?? [];
      return first && hexOf(model.text.slice(...first));
    });
    if (!ink || !ground) {
      return null;
    }
    const ratio = contrastOf(ink, ground);
    const words = ratio >= GOOD_CONTRAST ? 'easy to read' : ratio >= POOR_CONTRAST ? 'hard to read' : 'very hard to read';
    return html`<p class="hint"><b class=${ratio >= GOOD_CONTRAST ? 'good' : 'minus'}>Contrast ${ratio.toFixed(1)}</b> · ${words}</p>`;
  }

  /** The field for a piece's HTML; false if that is too long. @param own the HTML of the piece */
  function codeField(kind, own) {
    const area = html`<textarea class="mono" rows="10" spellcheck="false" id="piece-code" data-value="code" value=${own}></textarea>`;
    return own.length <= MAX_CODE && html`
      <details class="piece-html" ${{ open: kind === 'code' }}>
        <summary>Edit as HTML</summary>
        <div class="field"><label for="piece-code">HTML</label>${area}</div>
        <div class="row">${button('Apply', () => onReplace(area.value), { class: 'small' })}</div>
      </details>`;
  }

  /** Actions on a piece of any kind. */
  function moreActions() {
    return html`
      <div class="row more-acts">
        ${button('Condition or list…', onWrap, { class: 'small', title: 'Show it only if there is a value, or repeat it for each row of a list' })}
        ${button('Make shared block…', onMakeBlock, { class: 'small', title: 'Use it in other emails' })}
      </div>`;
  }

  /** The piece's lines in the HTML, with a button that shows them. */
  function linesOfHtml() {
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

const hasValue = (piece, name) => (piece.values?.[name] ?? []).length > 0;

/** The fields of a piece, in order. A part without words of its own has only what its HTML says. */
function fieldsOf(piece) {
  return (FIELDS[piece.kind] ?? []).filter(name => {
    const isOfButton = piece.kind === 'button' && ['radius', 'background'].includes(name);
    return !OF_VALUES.includes(name) || hasValue(piece, name) || piece.class?.[name] !== undefined || isOfButton;
  });
}

/** Names of fields in rows: two short ones that follow each other are in one. */
function inPairs(fields) {
  const rows = [];
  for (const name of fields) {
    const last = rows.at(-1);
    if (SHORT.includes(name) && last?.length === 1 && SHORT.includes(last[0])) {
      last.push(name);
    } else {
      rows.push([name]);
    }
  }
  return rows;
}
