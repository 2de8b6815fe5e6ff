// Makes what the pages show.

const templates = new WeakMap();
const PLACE = /§(\d+)§/;
const isShown = value => value !== null && value !== undefined && value !== false;

/**
 * Makes nodes from markup: one element, or a fragment of several. Only the literal text is parsed; values become text nodes,
 * attributes and listeners, so a value can never become markup. A child that is null, undefined or false is left out, and so
 * is such an attribute; true is an attribute without a value. Line breaks between tags and values are left out, too.
 *
 *     html`<a href=${address} class="row ${kind}" @click=${open} ${moreAttributes}>${text}${nodes}</a>`
 */
export function html(strings, ...values) {
  return fill(strings, values, false);
}

/** The same for parts of a drawing. */
export function svg(strings, ...values) {
  return fill(strings, values, true);
}

function fill(strings, values, isDrawing) {
  if (!templates.has(strings)) {
    templates.set(strings, parse(strings, isDrawing));
  }
  // The clone belongs to a document that loads and runs nothing until its nodes are shown.
  const content = templates.get(strings).cloneNode(true);
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_COMMENT);
  for (let node = walker.nextNode(), next; node; node = next) {
    next = walker.nextNode();
    if (node.nodeType === Node.COMMENT_NODE) {
      node.replaceWith(...[values[PLACE.exec(node.data)[1]]].flat(Infinity).filter(isShown));
    } else {
      [...node.attributes].forEach(attribute => fillAttribute(node, attribute, values));
    }
  }
  return content.childNodes.length === 1 ? content.firstChild : content;
}

/** The literal markup, with a comment for each child and §0§ for each attribute. */
function parse(strings, isDrawing) {
  const markup = strings.reduce((all, text, i) =>
    all + (all.lastIndexOf('<') > all.lastIndexOf('>') ? `§${i - 1}§` : `<!--§${i - 1}§-->`) + text);
  const tight = markup.replace(/(^|>)\s*\n\s*(?=<|$)/g, '$1');
  const template = document.createElement('template');
  template.innerHTML = isDrawing ? `<svg>${tight}</svg>` : tight;
  if (isDrawing) {
    template.content.replaceChildren(...template.content.firstChild.childNodes);
  }
  return template.content;
}

function fillAttribute(node, { name, value }, values) {
  if (PLACE.test(name)) {
    node.removeAttribute(name);
    Object.entries(values[PLACE.exec(name)[1]]).forEach(([each, given]) => setAttribute(node, each, given));
  } else if (PLACE.test(value)) {
    node.removeAttribute(name);
    const [place, i] = PLACE.exec(value);
    setAttribute(node, name, place === value ? values[i] : value.replace(/§(\d+)§/g, (_, each) => values[each]));
  }
}

function setAttribute(node, name, value) {
  if (name.startsWith('@')) {
    node.addEventListener(name.slice(1), value);
  } else if (isShown(value) && name === 'value' && 'value' in node) {
    node.value = value;
  } else if (isShown(value)) {
    node.setAttribute(name, value === true ? '' : value);
  }
}

export function button(text, onclick, attributes = {}) {
  return html`<button type="button" @click=${onclick} ${attributes}>${text}</button>`;
}

/**
 * Buttons of which one is pressed.
 *
 * @param run gets the name of a button that a person presses
 * @return the node, and press, which shows another name as pressed
 */
export function toggle(label, names, pressed, run) {
  const buttons = names.map(name => button(name, () => {
    press(name);
    run(name);
  }, { class: 'small' }));
  const press = name => buttons.forEach(one => one.setAttribute('aria-pressed', String(one.textContent === name)));
  press(pressed);
  return { node: html`<div class="toggle" role="group" aria-label=${label}>${buttons}</div>`, press };
}

export function link(href, text, attributes = {}) {
  return html`<a href=${href} ${attributes}>${text}</a>`;
}

/** The line at the top of a page: its heading, and what can be done there. */
export function pageHead(title, ...more) {
  return html`<div class="head"><h1 tabindex="-1">${title}</h1>${more}</div>`;
}

/** A part of a page, with its heading. */
export function card(title, contents) {
  return html`<section class="card"><h2>${title}</h2>${contents}</section>`;
}

/** A table; each column is a name, or {name, ...attributes of its heading}. */
export function table(kind, columns, rows, attributes = {}) {
  return html`
    <table class=${kind} ${attributes}>
      <thead>
        <tr>${columns.map(column => html`<th scope="col" ${column.attributes ?? {}}>${column.name ?? column}</th>`)}</tr>
      </thead>
      <tbody>${rows}</tbody>
    </table>`;
}

/** The heading of a column of buttons. */
export const actionsColumn = () => ({ name: visuallyHidden('Actions') });

/** A count with its noun: "1 key", "3 keys". */
export function count(number, one, many = one + 's') {
  return number.toLocaleString('en') + ' ' + (number === 1 ? one : many);
}

/** Copies a text, also where the page has no secure origin and so no access to the clipboard. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const holder = html`<textarea class="hidden-text" aria-hidden="true" ${{ value: text }}></textarea>`;
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
  const node = button('Copy', async () => {
    await copy(text);
    label('Copied');
    setTimeout(() => label('Copy'), 1600);
  }, { class: 'small', 'aria-label': 'Copy ' + name, ...attributes });
  const label = word => {
    node.textContent = word;
    node.setAttribute('aria-label', word + ' ' + name);
  };
  return node;
}

/** A text to copy, shown whole. @param name of the text, for its button */
export function toCopy(text, label, name) {
  return html`
    <div class="secret">
      <textarea class="mono" readonly rows="2" aria-label=${label} spellcheck="false" value=${text}
        @focus=${event => event.target.select()}></textarea>
      ${copyButton(text, name, { class: '' })}
    </div>`;
}

/** A text for screen readers alone. */
export function visuallyHidden(text) {
  return html`<span class="visually-hidden">${text}</span>`;
}

/** Runs once no call has come for so many milliseconds. */
export function debounce(milliseconds, run) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...given), milliseconds);
  };
}
