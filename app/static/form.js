// Forms: labels, hints, and the refusal's sentence beside the field that it is about.
import { element, button } from './dom.js';

let last = 0;

/** An input with its label; `attributes.textarea` makes it one of several lines. */
export function field(name, label, attributes = {}, hint = null) {
  const id = name + '-' + ++last;
  const { textarea, ...rest } = attributes;
  const input = element(textarea ? 'textarea' : 'input', {
    id, name, autocomplete: 'off', 'aria-describedby': (hint ? id + '-hint ' : '') + id + '-error', ...rest,
  });
  return element('div', { class: 'field' },
    element('label', { for: id }, label),
    hint && element('p', { class: 'hint', id: id + '-hint' }, hint),
    input,
    element('p', { class: 'error', id: id + '-error', 'data-error': name }));
}

/** Options of which one is taken; each is {value, label, hint}. */
export function choice(name, legend, options, taken) {
  return element('fieldset', { class: 'choice' },
    element('legend', {}, legend),
    options.map(option => element('label', { class: 'option' },
      element('input', { type: 'radio', name, value: option.value, checked: option.value === taken }),
      element('span', {}, element('b', {}, option.label), option.hint && element('span', { class: 'hint' }, option.hint)))),
    element('p', { class: 'error', 'data-error': name }));
}

export function checkbox(name, label, attributes = {}) {
  return element('label', { class: 'check' },
    element('input', { type: 'checkbox', name, ...attributes }), element('span', {}, label));
}

/**
 * A form whose submit runs `submit(values, form)`; while it runs the button waits, and a failure's sentence goes
 * beside its field, or above the buttons. What was typed stays.
 */
export function form(label, submit, contents, ...more) {
  const main = button(label, null, { type: 'submit', class: 'primary' });
  const general = element('p', { class: 'error', 'data-error': '', role: 'alert' });
  const node = element('form', { novalidate: true }, contents, general, element('div', { class: 'actions' }, more, main));
  node.addEventListener('submit', async event => {
    event.preventDefault();
    if (main.getAttribute('aria-disabled') === 'true') {
      return;
    }
    main.setAttribute('aria-disabled', 'true');
    clear(node);
    try {
      await submit(values(node), node);
    } catch (failure) {
      refuse(node, failure);
    } finally {
      main.removeAttribute('aria-disabled');
    }
  });
  return node;
}

export function values(node) {
  const found = {};
  for (const input of node.elements) {
    if (input.name && (input.type !== 'radio' || input.checked)) {
      found[input.name] = input.type === 'checkbox' ? input.checked : input.value;
    }
  }
  return found;
}

function clear(node) {
  node.querySelectorAll('[data-error]').forEach(place => { place.textContent = ''; });
  node.querySelectorAll('[aria-invalid]').forEach(input => input.removeAttribute('aria-invalid'));
}

/** Shows why not, at the field or else above the buttons, and takes the reader there. */
function refuse(node, failure) {
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

/** A failure in words, with a full stop. */
export function sentence(failure) {
  return failure.message + (/[.!?]$/.test(failure.message) ? '' : '.');
}
