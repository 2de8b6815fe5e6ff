// Creates a template from a starter, from scratch, or as a copy.
import { html, debounce } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { attempt, formDialog } from '../frame/dialog.js';
import { field } from '../frame/form.js';
import { turns } from '../frame/inturn.js';
import { previewFrame } from '../preview/preview.js';
import { navigate } from '../frame/router.js';
import { mayAs } from '../frame/session.js';
import { brandFields, submitBrand } from '../account/brand.js';

const LOOK_UP_MILLIS = 250;
const MAX_ID = 64;
/** ID of the starter that has the account's look. */
const EMPTY = 'empty';
const VALID_ID = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** Asks for a starter, a name and an ID, creates the template and opens it. */
export async function createTemplate() {
  const { starters, empty, brand: { brand, isChosen } } = await get('/data/starters');
  const all = [...starters, empty];
  const look = brandFields(brand, debounce(LOOK_UP_MILLIS, () => chosen === EMPTY && attempt(() => choose(empty))));
  const lookChoice = html`
    <fieldset class="choice brand-asked" hidden>
      <legend>The look of your emails</legend>
      <p class="hint">You are asked once. To change it later, go to your account page.</p>
      ${look.node}
    </fieldset>`;
  const picture = html`<div class="starter-stage" aria-live="polite"></div>`;
  const naming = nameFields({ name: all[0].name, id: all[0].id });
  let chosen = ''; // ID of the starter chosen last
  const begin = turns();

  /** Shows the picture of a starter, and suggests its name and ID. The empty email also has the fields for a look, until one has been chosen. */
  async function choose(starter) {
    chosen = starter.id;
    const isLatest = begin();
    const isEmpty = starter.id === EMPTY;
    naming.suggest(isEmpty ? '' : starter.name, isEmpty ? '' : starter.id);
    lookChoice.hidden = !isEmpty || isChosen || !mayAs('editor');
    const { subject, html: text, samples, defaultSamples } = starter;
    const shown = lookChoice.hidden ? text : inLook(text, brand, look.values());
    const { preview } = await post('/data/check', { subject, html: shown, samples, ...defaultSamples && { defaultSamples } });
    if (isLatest()) {
      picture.replaceChildren(previewFrame(preview, { class: 'starter', tabindex: '-1' }));
    }
  }

  const options = html`
    <fieldset class="choice starters">
      <legend>Start from</legend>
      ${all.map((starter, i) => html`
        <label class="option">
          <input type="radio" name="starter" value=${starter.id} checked=${i === 0} @change=${() => attempt(() => choose(starter))}>
          <span>${starter.name}<span class="hint">${starter.id === EMPTY ? 'A headline and a text in your colours' : starter.subject}</span></span>
        </label>`)}
    </fieldset>`;
  attempt(() => choose(all[0]));
  let submitLook = submitBrand(brand);
  const template = await formDialog('New template', 'Create', [
    html`<div class="starting">${options}${picture}</div>`, naming.node, lookChoice,
  ], async given => {
    if (!lookChoice.hidden) {
      const saved = await submitLook(given);
      submitLook = submitBrand(saved.brand); // if the template is rejected, the form is sent again
    }
    return post('/data/templates', { ...naming.values(), starter: given.starter });
  }, { wide: true });
  if (template) {
    await navigate('/templates/' + template.id);
  }
}

/** Asks for a name and an ID, copies the saved draft and opens the copy. */
export async function duplicateTemplate({ id, name }) {
  const naming = nameFields({ name: 'Copy of ' + name, id: 'Copy of ' + name, label: 'Name of copy' });
  const template = await formDialog('Duplicate ' + name, 'Duplicate', [
    html`<p class="hint">Copies the saved draft with its test data and tags. The copy is not published.</p>`, naming.node,
  ], () => post('/data/templates', { ...naming.values(), copyOf: id }));
  if (template) {
    await navigate('/templates/' + template.id);
  }
}

/** The empty email in the colours of a look that has not been saved yet. @param from look that the text has */
function inLook(text, from, to) {
  const colours = new Map([[from.colour, to.colour], [from.background, to.background]]);
  return text.replace(/#[0-9a-f]{6}\b/gi, colour => colours.get(colour) ?? colour);
}

/**
 * Fields for name and ID. The ID follows the name until it is edited; IDs in use are reported while typing.
 *
 * @param given.name  suggested name
 * @param given.id    text from which the suggested ID is made
 * @param given.label label of the name
 * @return {node, suggest, values}
 */
function nameFields({ name: suggested, id: base, label = 'Name' }) {
  // On a phone, the keyboard would cover the starters.
  const name = field('name', label,
    { maxlength: 200, required: true, autofocus: !matchMedia('(max-width: 820px)').matches, value: suggested });
  const id = field('id', 'ID', { maxlength: MAX_ID, spellcheck: 'false', class: 'mono', placeholder: 'Generated if empty' },
    'Your app uses the ID to fetch the template. Letters, digits, - and _. Cannot be changed later.');
  const [nameInput, idInput] = [name, id].map(one => one.querySelector('input'));
  const error = id.querySelector('.error');
  const typedId = () => idInput.value.trim();
  let isOwnName = false;
  let isOwnId = false;

  const lookUpSoon = debounce(LOOK_UP_MILLIS, () => attempt(async () => {
    const asked = typedId();
    error.textContent = '';
    if (VALID_ID.test(asked)) {
      await lookUp(asked);
    } else if (asked !== '') {
      error.textContent = 'Use only letters, digits, - and _, and start with a letter or digit.';
    }
  }));

  /** Reports an ID in use if the user entered it, and otherwise suggests another. */
  async function lookUp(asked) {
    const { taken, free } = await get('/data/ids?id=' + asked);
    if (!taken || asked !== typedId()) {
      return;
    }
    if (isOwnId) {
      error.textContent = `ID ${asked} is already taken.` + (free && ` Try ${free}.`);
    } else {
      idInput.value = free;
    }
  }

  function suggestId(text) {
    if (!isOwnId) {
      idInput.value = slug(text);
      lookUpSoon();
    }
  }

  // Typing replaces a name suggested by a starter.
  nameInput.addEventListener('click', () => !isOwnName && nameInput.select());
  nameInput.addEventListener('input', () => {
    isOwnName = true;
    suggestId(nameInput.value);
  });
  idInput.addEventListener('input', () => {
    isOwnId = idInput.value !== '';
    lookUpSoon();
  });
  suggestId(base);
  return {
    node: html`<div class="naming">${name}${id}</div>`,
    /** Suggests a name and an ID, unless the user has entered their own. */
    suggest(otherName, otherBase) {
      if (!isOwnName) {
        nameInput.value = otherName;
        suggestId(otherBase);
      }
    },
    /** Fields for the request; without an ID, the server makes one. */
    values: () => ({ name: nameInput.value, ...typedId() && { id: typedId() } }),
  };
}

/** Turns "Café, 2nd try" into cafe-2nd-try; empty if no letter or digit remains. */
function slug(text) {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
    .slice(0, MAX_ID).replace(/-+$/, '');
}
