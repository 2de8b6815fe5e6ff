// The look of an account's new emails: chosen once, and changed on the account page.
import { html, button, card } from '../frame/dom.js';
import { get, put } from '../frame/server.js';
import { attempt, formDialog, notify } from '../frame/dialog.js';
import { field } from '../frame/form.js';
import { chooseImage } from '../images/choose.js';
import { submitSeen } from '../frame/seen.js';
import { accountLine, mayAs } from '../frame/session.js';

/** Names of the fonts. */
const FONTS = { system: 'The reader’s system font', arial: 'Arial', verdana: 'Verdana', georgia: 'Georgia' };

/**
 * Fields for a look: {node, values}; `values()` returns the look that is typed.
 *
 * @param onInput receives the values as they are typed
 */
export function brandFields({ colour, background, font, logo }, onInput = () => {}) {
  const logoField = field('logo', 'Logo', { value: logo, maxlength: 500, spellcheck: 'false', placeholder: 'https://' },
    'Optional. An image 160 pixels wide: one of yours, or its address.');
  const chooseLogo = () => attempt(async () => {
    const chosen = await chooseImage({ isSourceOnly: true });
    if (chosen) {
      logoField.querySelector('input').value = `{{> images/${chosen.name}}}`;
      onInput(values());
    }
  });
  const node = html`
    <div class="brand-fields" @input=${() => onInput(values())}>
      ${field('colour', 'Colour', { type: 'color', value: colour }, 'Of buttons.')}
      ${field('background', 'Background', { type: 'color', value: background }, 'Around the email.')}
      <div class="field">
        <label for="brand-font">Font</label>
        <select id="brand-font" name="font">
          ${Object.entries(FONTS).map(([value, name]) => html`<option value=${value} selected=${value === font}>${name}</option>`)}
        </select>
      </div>
      <div>${logoField}${button('Choose an image…', chooseLogo, { class: 'small' })}</div>
    </div>`;
  const values = () => Object.fromEntries([...node.querySelectorAll('[name]')].map(input => [input.name, input.value]));
  return { node, values };
}

/** A look as text. */
const words = ({ colour, background, font, logo }) => `${colour} on ${background}, ${FONTS[font]}, ${logo || 'no logo'}`;

/** A form's `submit` that saves a look unless somebody has changed it since it was shown. @param shown the look in the form */
export function submitBrand(shown) {
  return submitSeen(shown, words, ({ colour, background, font, logo, seen }) => put('/data/brand', { colour, background, font, logo, seen }));
}

/** A square of a colour, named by its code. */
function swatch(colour) {
  const node = html`<span class="swatch" role="img" aria-label=${colour} title=${colour}></span>`;
  node.style.backgroundColor = colour;
  return node;
}

/** The card on the account page. */
export async function brandCard() {
  let { brand } = await get('/data/brand');
  const content = html`<div></div>`;

  function show() {
    content.replaceChildren(html`
      <p>New emails made from <b>Empty</b> have these colours, this font and this logo. Existing emails do not change.</p>
      <p class="row brand-look">
        ${swatch(brand.colour)} ${swatch(brand.background)} <span>${FONTS[brand.font]}</span>
        <span class="hint">${brand.logo || 'No logo'}</span>
      </p>
      <div class="row">${mayAs('editor') && button('Change…', () => attempt(change), { 'aria-label': 'Change the look of new emails' })}</div>`);
  }

  async function change() {
    const changed = await formDialog('Look of new emails', 'Save', [accountLine(), brandFields(brand).node], submitBrand(brand));
    if (changed) {
      brand = changed.brand;
      notify('Saved.');
      show();
      content.querySelector('button').focus();
    }
  }

  show();
  return card('Look of new emails', content);
}
