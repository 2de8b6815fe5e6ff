// Forms: labels, hints, and errors beside their fields.
import { html, button } from './dom.js';

let lastId = 0;

/** An input with a label. @param hint text below the label; null for none */
export function field(name, label, attributes = {}, hint = null) {
  const id = name + '-' + ++lastId;
  const described = (hint ? id + '-hint ' : '') + id + '-error';
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
      <input id=${id} name=${name} ${{ autocomplete: 'off', 'aria-describedby': described, ...attributes }}>
      <p class="error" id="${id}-error" data-error=${name}></p>
    </div>`;
}

/** A multi-line field with a label. */
export function textArea(name, label, text = '', attributes = {}) {
  const id = name + '-' + ++lastId;
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <textarea id=${id} name=${name} rows="3" spellcheck="false" aria-describedby="${id}-error" value=${text} ${attributes}></textarea>
      <p class="error" id="${id}-error" data-error=${name}></p>
    </div>`;
}

/** Field for a new password. */
export function newPasswordField(label, attributes = {}) {
  return field('password', label, { type: 'password', autocomplete: 'new-password', required: true, ...attributes },
    'At least 8 characters. Several words are easier to remember than random characters.');
}

/** Radio buttons; each option is {value, label, hint}. */
export function choice(name, legend, options, chosen) {
  return html`
    <fieldset class="choice">
      <legend>${legend}</legend>
      ${options.map(({ value, label, hint }) => html`
        <label class="option">
          <input type="radio" name=${name} value=${value} checked=${value === chosen}>
          <span><b>${label}</b>${hint && html`<span class="hint">${hint}</span>`}</span>
        </label>`)}
      <p class="error" data-error=${name}></p>
    </fieldset>`;
}

export function checkbox(name, label, checked = false) {
  return html`<label class="check"><input type="checkbox" name=${name} checked=${checked}><span>${label}</span></label>`;
}

/**
 * A form that calls `submit(values, form)` and disables its button in the meantime. Errors appear beside the field or above the
 * buttons; typed values are kept.
 *
 * @param label  text of the button that submits
 * @param others other buttons, before that one
 */
export function form(label, submit, contents, ...others) {
  const main = button(label, null, { type: 'submit', class: 'primary' });
  const node = html`
    <form novalidate @submit=${onSubmit}>
      ${contents}
      <p class="error" data-error="" role="alert"></p>
      <div class="actions">${others}${main}</div>
    </form>`;

  async function onSubmit(event) {
    event.preventDefault();
    if (main.getAttribute('aria-disabled') === 'true') {
      return;
    }
    main.setAttribute('aria-disabled', 'true');
    clearErrors(node);
    try {
      await submit(valuesOf(node), node);
    } catch (failure) {
      showFailure(node, failure);
    } finally {
      main.removeAttribute('aria-disabled');
    }
  }

  return node;
}

/** The values by field name; a checkbox's is a boolean, and radio buttons have none if none is chosen. */
function valuesOf(node) {
  const values = {};
  for (const input of node.elements) {
    if (input.name && (input.type !== 'radio' || input.checked)) {
      values[input.name] = input.type === 'checkbox' ? input.checked : input.value;
    }
  }
  return values;
}

function clearErrors(node) {
  node.querySelectorAll('[data-error]').forEach(place => { place.textContent = ''; });
  node.querySelectorAll('[aria-invalid]').forEach(input => input.removeAttribute('aria-invalid'));
}

/** Shows the error at its field, which is then focused unless it is a group of radio buttons; or above the buttons. */
function showFailure(node, failure) {
  if (failure.status === undefined) {
    console.error(failure);
  }
  const named = failure.field && node.querySelector(`[data-error="${CSS.escape(failure.field)}"]`);
  (named || node.querySelector('[data-error=""]')).textContent = sentence(failure);
  const input = named && node.elements[failure.field];
  if (input instanceof HTMLElement) {
    input.setAttribute('aria-invalid', 'true');
    input.focus();
  }
}

/** The number typed in a field; null if it is empty. Text that is no number is returned as it is, so that the server rejects it. */
export function numberIn(text) {
  const number = Number(text);
  return text.trim() === '' ? null : Number.isFinite(number) ? number : text;
}

/** The error message, ending with punctuation. */
export function sentence(failure) {
  return punctuated(failure.message);
}

/** Adds a full stop, unless the text ends with one or with another mark. */
export function punctuated(text) {
  return text + (/[.!?]$/.test(text) ? '' : '.');
}

/** An error that a form shows at the named field, or above its buttons if there is none. */
export function refusal(message, field = null) {
  return Object.assign(new Error(message), { status: 422, field });
}
