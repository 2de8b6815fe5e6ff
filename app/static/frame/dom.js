// Builds DOM nodes.

const templates = new WeakMap();
const PLACE = /§(\d+)§/;
/** The beginning of an option, also in brackets. */
const OPTION = /^[[(|]*-/;
/** Duration for which a copy button shows whether it has copied. */
const CONFIRMATION_MILLIS = 1_600;
const isShown = value => value !== null && value !== undefined && value !== false;

/**
 * Creates nodes from a template: one element, or a fragment of several. Only literal text is parsed as HTML; values become text
 * nodes, attributes or listeners, so they can never inject markup. Children and attributes that are null, undefined or false are
 * omitted; true makes an attribute without a value. A value within other text of an attribute is written as it is. Line breaks between tags
 * and values are dropped.
 *
 *     html`<a href=${address} class="row ${kind}" @click=${open} ${moreAttributes}>${text}${nodes}</a>`
 */
export function html(strings, ...values) {
  return fill(strings, values, false);
}

/** Like html, for SVG. */
export function svg(strings, ...values) {
  return fill(strings, values, true);
}

function fill(strings, values, isDrawing) {
  if (!templates.has(strings)) {
    templates.set(strings, parse(strings, isDrawing));
  }
  // The clone belongs to an inert document, so it loads and runs nothing until the nodes are attached.
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

/** Literal markup with a comment for each child and §0§ for each attribute. */
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
 * A group of toggle buttons, one of which is pressed.
 *
 * @param run receives the name of the button the user presses
 * @return {node, press}; `press(name)` changes the pressed button
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

/** Page header: heading and actions. */
export function pageHead(title, ...more) {
  return html`<div class="head"><h1 tabindex="-1">${title}</h1>${more}</div>`;
}

/** A command or option as code; options are not broken at their hyphens. */
export function command(text) {
  const words = text.split(/( +)/);
  return html`<code>${words.map(word => OPTION.test(word) ? html`<span class="option-name">${word}</span>` : word)}</code>`;
}

/** A name that may be broken after the @ of an email address, before it is broken inside a word. */
export function breakable(name) {
  return name.split(/(?<=@)/).map((part, i) => [i > 0 && html`<wbr>`, part]);
}

/** A section with a heading. */
export function card(title, contents) {
  return html`<section class="card"><h2>${title}</h2>${contents}</section>`;
}

/** A table; each column is a name, or {name, attributes} with attributes for its heading. */
export function table(classes, columns, rows, attributes = {}) {
  return html`
    <table class=${classes} ${attributes}>
      <thead>
        <tr>${columns.map(column => html`<th scope="col" ${column.attributes ?? {}}>${column.name ?? column}</th>`)}</tr>
      </thead>
      <tbody>${rows}</tbody>
    </table>`;
}

/** Heading of a column of numbers, whose cells also have the class `number`. */
export const numberColumn = name => ({ name, attributes: { class: 'number' } });

/** Heading of an actions column. */
export const actionsColumn = () => ({ name: visuallyHidden('Actions') });

/** A count with its noun: "1 key", "3 keys". */
export function count(number, one, many = one + 's') {
  return number.toLocaleString('en') + ' ' + (number === 1 ? one : many);
}

/** The open dialog, or the last of several; undefined without one. */
export function openDialog() {
  return [...document.querySelectorAll('dialog[open]')].at(-1);
}

/** Copies text, even on insecure origins, which lack the clipboard API. @throws Error if the browser does not allow that */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const holder = html`<textarea class="hidden-text" aria-hidden="true" ${{ value: text }}></textarea>`;
    (openDialog() ?? document.body).append(holder);
    const before = document.activeElement;
    holder.select();
    const isCopied = document.execCommand('copy');
    holder.remove();
    before?.focus();
    if (!isCopied) {
      throw new Error('The browser does not allow copying');
    }
  }
}

/** A copy button that briefly shows whether it has copied. @param name name of the text, for the button's label */
export function copyButton(text, name, attributes = {}) {
  const end = debounce(CONFIRMATION_MILLIS, () => label('Copy'));
  const node = button('Copy', async () => {
    label(await copy(text).then(() => 'Copied', () => 'Cannot copy'));
    end();
  }, { class: 'small', 'aria-label': 'Copy ' + name, ...attributes });
  const label = word => {
    node.textContent = word;
    node.setAttribute('aria-label', word + ' ' + name);
  };
  return node;
}

/**
 * A field that shows a text in full, with a button that copies it.
 *
 * @param label name of the field
 * @param name  name of the text, for the button's label
 */
export function copyField(text, label, name) {
  return html`
    <div class="secret">
      <textarea class="mono" readonly rows="2" aria-label=${label} spellcheck="false" value=${text}
        @focus=${event => event.target.select()}></textarea>
      ${copyButton(text, name, { class: '' })}
    </div>`;
}

/** Text for screen readers only. */
export function visuallyHidden(text) {
  return html`<span class="visually-hidden">${text}</span>`;
}

/** Delays `run` until there has been no call for this many milliseconds. */
export function debounce(milliseconds, run) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...given), milliseconds);
  };
}

/** Layout of pages that need no sign-in: a card with the logo. */
export function gate(title, contents) {
  return html`
    <section class="card gate">
      <p class="mark"><span class="stet">Stet</span></p>
      <h1 tabindex="-1">${title}</h1>
      ${contents}
    </section>`;
}
