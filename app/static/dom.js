// Builds what the pages show. Text reaches the page as text nodes only, so a name can never become markup.

const SVG = 'http://www.w3.org/2000/svg';

/** An element: `on…` attributes are listeners, true is an attribute without a value, false and null leave it out. */
export function element(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for drawings. */
export function drawing(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) {
      node.addEventListener(name.slice(2), value);
    } else if (name === 'value' && 'value' in node) {
      node.value = value;
    } else if (value !== false && value !== null && value !== undefined) {
      node.setAttribute(name, value === true ? '' : value);
    }
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return node;
}

export function button(text, onclick, attributes = {}) {
  return element('button', { type: 'button', onclick, ...attributes }, text);
}

export function link(href, text, attributes = {}) {
  return element('a', { href, ...attributes }, text);
}

/** A count with its noun: "1 key", "3 keys". */
export function count(number, one, many = one + 's') {
  return number.toLocaleString('en') + ' ' + (number === 1 ? one : many);
}

/** Copies a text, also where the page has no secure origin and so no clipboard of its own. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const holder = element('textarea', { class: 'hidden-text', 'aria-hidden': 'true', value: text });
    const dialogs = document.querySelectorAll('dialog[open]');
    (dialogs[dialogs.length - 1] ?? document.body).append(holder);
    const before = document.activeElement;
    holder.select();
    document.execCommand('copy');
    holder.remove();
    before?.focus();
  }
}

/** A button that copies, and says for a moment that it has. */
export function copyButton(text, name, attributes = {}) {
  const copying = button('Copy', async () => {
    await copy(typeof text === 'function' ? text() : text);
    word('Copied');
    setTimeout(() => word('Copy'), 1600);
  }, { class: 'small', 'aria-label': 'Copy ' + name, ...attributes });
  const word = text => {
    copying.textContent = text;
    copying.setAttribute('aria-label', text + ' ' + name);
  };
  return copying;
}

/** A number that only screen readers need, or a word that the eye sees otherwise. */
export function unseen(text) {
  return element('span', { class: 'unseen' }, text);
}

/** Runs after the last call has been quiet for so many milliseconds. */
export function calmly(milliseconds, run) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...given), milliseconds);
  };
}
