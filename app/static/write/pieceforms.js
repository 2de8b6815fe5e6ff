// What the page asks for before it adds or wraps a piece.
import { html } from '../frame/dom.js';
import { formDialog } from '../frame/dialog.js';
import { checkbox, choice, field, refusal, textArea } from '../frame/form.js';
import { chooseImage } from '../images/choose.js';
import { isVariable, written } from './sourcetext.js';

/** Maximum number of names suggested. */
const MAX_NAMES = 200;

/**
 * Asks for what a new piece needs; resolves to the options of the operation, empty for a kind that needs nothing, or undefined if cancelled.
 *
 * @param kind        kind of the new piece
 * @param names       names of the known variables
 * @param chooseBlock asks for a shared block; takes the title of the dialog
 * @param readBlock   resolves to the HTML of a shared block
 * @param file        a dropped or pasted image file, or null
 */
export async function askForPiece(kind, { names, chooseBlock, readBlock, file = null }) {
  async function image() {
    const chosen = await chooseImage({ file, mayGiveAddress: file === null });
    return chosen?.isAddress ? askForImageAddress() : chosen && { src: imageSource(chosen), alt: written(chosen.alt, '"'), fileWidth: chosen.width };
  }

  const forms = {
    image,
    imageText: image,
    condition: () => nameDialog({
      title: 'Add a condition', submit: 'Add condition', names, label: 'Shown only if',
      hint: 'A name from your test data, such as vip. Recipients see the part only if your app provides a value.',
    }),
    async list() {
      const form = await nameDialog({
        title: 'Add a list', submit: 'Add list', names, label: 'Repeat for each of',
        hint: 'A name from your test data, such as items. The part is repeated for each of its rows.',
      });
      return form && { ...form, label: '{{title}}' };
    },
    async block() {
      const name = await chooseBlock();
      return name === undefined ? undefined : { name };
    },
    async saved() {
      const name = await chooseBlock('Add a copy of a shared block');
      return name === undefined ? undefined : { html: await readBlock(name) };
    },
    code: () => formDialog('Add HTML', 'Add', [
      textArea('html', 'HTML', '', { rows: 8, class: 'mono', required: true, autofocus: true })],
    ({ html: text }) => {
      required('html', text, 'Enter some HTML');
      return { html: text };
    }),
  };
  return Object.hasOwn(forms, kind) ? forms[kind]() : {};
}

/** Asks how to wrap a piece: {kind: 'condition' or 'list', name}, or undefined if cancelled. */
export function askForWrap(names) {
  return formDialog('Condition or list', 'Apply', [
    choice('kind', 'How', [
      { value: 'condition', label: 'Show it only if there is a value' },
      { value: 'list', label: 'Repeat it for each row of a list' },
    ], 'condition'),
    nameField(names, 'Name', 'A name from your test data, such as vip or items.'),
  ], given => ({ kind: given.kind, name: nameOf(given.name) }));
}

/** Asks for a variable: {name}, or undefined if cancelled. */
export function askForVariable(names) {
  return nameDialog({
    title: 'Insert a variable', submit: 'Insert', names, label: 'Variable',
    hint: 'A name from your test data, such as name or order.number. Your app fills it in.',
  });
}

/** Asks for the address of a link: {href}, or undefined if cancelled. */
export function askForLink() {
  return formDialog('Link', 'Link', [
    field('href', 'Address', { required: true, autofocus: true, placeholder: 'https:// or {{order_url}}', spellcheck: 'false' })],
  ({ href }) => ({ href: required('href', href, 'Enter the address') }));
}

/** Asks for an image of the account's; resolves to the value of `src`, or undefined if cancelled. @param file a dropped image file, or null */
export async function askForImageSource(file = null) {
  const chosen = await chooseImage({ file, isSourceOnly: true });
  return chosen && imageSource(chosen);
}

function askForImageAddress() {
  return formDialog('Add an image', 'Add image', [
    field('source', 'Address', { required: true, autofocus: true, placeholder: 'https:// or {{image_url}}', spellcheck: 'false' }),
    field('alt', 'Description', { maxlength: 400 }, 'For readers who do not see images, and for screen readers.'),
    checkbox('decorative', 'Decorative: it needs no description'),
  ], ({ source, alt, decorative }) => ({
    src: written(required('source', source, 'Enter the address of the image'), '"'), alt: decorative ? '' : written(alt.trim(), '"'),
  }));
}

/** The value of `src` for an image of the account's. */
const imageSource = ({ name }) => `{{> images/${name}}}`;

/** Asks for the name of a variable: {name}, or undefined if cancelled. @param submit the button's text @param label of the field */
function nameDialog({ title, submit, names, label, hint }) {
  return formDialog(title, submit, [nameField(names, label, hint)], ({ name }) => ({ name: nameOf(name) }));
}

function nameField(names, label, hint) {
  return [
    field('name', label, { required: true, autofocus: true, list: 'known-names', spellcheck: 'false', class: 'mono' }, hint),
    nameList('known-names', names),
  ];
}

/** The first names as suggestions for the field whose `list` is this ID. */
export function nameList(id, names) {
  return html`<datalist id=${id}>${names.slice(0, MAX_NAMES).map(name => html`<option value=${name}></option>`)}</datalist>`;
}

/** The name of a variable as typed, also within its tag. @throws an error if it is none */
function nameOf(text) {
  const name = text.trim().replace(/^\{\{\{?~?[#^/&]?\s*|\s*~?\}?\}\}$/g, '');
  if (!isVariable(name)) {
    throw refusal('Enter a name without spaces, such as vip or order.items', 'name');
  }
  return name;
}

/** A field's value without whitespace around it. @throws the sentence, at the field, if nothing is left */
function required(name, value, sentence) {
  const text = value.trim();
  if (text === '') {
    throw refusal(sentence, name);
  }
  return text;
}
