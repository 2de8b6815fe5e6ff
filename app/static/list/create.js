// Creates a template from a starter, from scratch, or as a copy.
import { html, debounce } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { attempt, formDialog } from '../frame/dialog.js';
import { field } from '../frame/form.js';
import { previewFrame } from '../preview/preview.js';
import { navigate } from '../frame/router.js';
import { mayAs } from '../frame/session.js';
import { brandFields, saveBrand } from '../account/brand.js';

const LOOK_UP_MILLIS = 250;
const MAX_ID = 64;
/** ID of the starter that is in the account's look. */
const EMPTY = 'empty';

/** Asks for a starter, a name and an id, creates the template and opens it. */
export async function createTemplate() {
  const { starters, empty, brand: { brand, isChosen } } = await get('/data/starters');
  const all = [...starters, empty];
  const look = brandFields(brand, debounce(LOOK_UP_MILLIS, () => latest === EMPTY && attempt(() => choose(all.at(-1)))));
  const asked = html`
    <fieldset class="choice brand-asked" hidden>
      <legend>The look of your emails</legend>
      <p class="hint">You are asked once. To change it later, go to your account page.</p>
      ${look.node}
    </fieldset>`;
  const stage = html`<div class="starter-stage" aria-live="polite"></div>`;
  const naming = names({ value: all[0].name }, all[0].id);
  let latest = '';

  async function choose(starter) {
    latest = starter.id;
    const isEmpty = starter.id === EMPTY;
    naming.suggest(isEmpty ? '' : starter.name, isEmpty ? '' : starter.id);
    asked.hidden = !isEmpty || isChosen || !mayAs('editor');
    const { subject, html: text, samples, defaultSamples } = starter;
    const shown = asked.hidden ? text : inLook(text, brand, look.values());
    const { preview } = await post('/data/check', { subject, html: shown, samples, ...defaultSamples && { defaultSamples } });
    if (latest === starter.id) {
      stage.replaceChildren(previewFrame(preview, { class: 'starter', tabindex: '-1' }));
    }
  }

  const options = html`
    <fieldset class="choice starters">
      <legend>Start from</legend>
      ${all.map((starter, i) => html`
        <label class="option">
          <input type="radio" name="starter" value=${starter.id} checked=${i === 0} @change=${() => attempt(() => choose(starter))}>
          <span>${starter.name}<span class="hint">${starter.subject || (starter.id === EMPTY ? 'A headline and a text in your colours' : '')}</span></span>
        </label>`)}
    </fieldset>`;
  attempt(() => choose(all[0]));
  await create('New template', 'Create', html`<div class="starting">${options}${stage}</div>`, naming, async ({ starter, ...given }) => {
    if (!asked.hidden) {
      await saveBrand(brand)(given);
    }
    return { starter };
  }, { wide: true, after: asked });
}

export function duplicateTemplate({ id, name }) {
  return create('Duplicate ' + name, 'Duplicate',
    html`<p class="hint">Copies the saved draft with its test data and tags. The copy is not published.</p>`,
    names({ value: 'Copy of ' + name, label: 'Name of copy' }, 'Copy of ' + name), () => ({ copyOf: id }));
}

async function create(title, label, contents, naming, more, { after, ...options } = {}) {
  const template = await formDialog(title, label, [contents, naming.node, after], async given => post('/data/templates',
    { name: given.name, ...await more(given), ...(given.id.trim() ? { id: given.id.trim() } : {}) }), options);
  if (template) {
    await navigate('/templates/' + template.id);
  }
}

/** The empty email in a look that has not been saved yet. */
function inLook(text, from, to) {
  return text.replaceAll(from.colour, to.colour).replaceAll(from.background, to.background);
}

/** Fields for name and id. The id follows the name until it is edited; ids in use are reported while typing. */
function names({ value, label = 'Name' }, start) {
  // On a phone, the keyboard would cover the starters.
  const name = field('name', label, { maxlength: 200, required: true, autofocus: !matchMedia('(max-width: 820px)').matches, value });
  const id = field('id', 'ID', { maxlength: MAX_ID, spellcheck: 'false', class: 'mono', placeholder: 'Generated if empty' },
    'Your app uses the ID to fetch the template. Letters, digits, - and _. Cannot be changed later.');
  const [nameInput, idInput] = [name, id].map(one => one.querySelector('input'));
  const error = id.querySelector('.error');
  let isNamed = false;
  let isOwnId = false;
  let latest = '';

  async function lookUp() {
    const asked = latest = idInput.value.trim();
    error.textContent = '';
    if (/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(asked)) {
      const { taken, free } = await get('/data/ids?id=' + asked);
      if (taken && asked === latest && asked === idInput.value.trim()) {
        if (isOwnId) {
          error.textContent = `ID ${asked} is already taken.` + (free && ` Try ${free}.`);
        } else {
          idInput.value = free;
        }
      }
    } else if (asked !== '') {
      error.textContent = 'Use only letters, digits, - and _, and start with a letter or digit.';
    }
  }

  const lookUpSoon = debounce(LOOK_UP_MILLIS, () => attempt(lookUp));

  function follow(text) {
    if (!isOwnId) {
      idInput.value = slug(text);
      lookUpSoon();
    }
  }

  // Typing replaces a name suggested by a starter.
  nameInput.addEventListener('click', () => !isNamed && nameInput.select());
  nameInput.addEventListener('input', () => {
    isNamed = true;
    follow(nameInput.value);
  });
  idInput.addEventListener('input', () => {
    isOwnId = idInput.value !== '';
    lookUpSoon();
  });
  follow(start);
  return {
    node: html`<div class="naming">${name}${id}</div>`,
    /** Suggests a name and an id, unless the user has entered their own. */
    suggest(text, base) {
      if (!isNamed) {
        nameInput.value = text;
        follow(base);
      }
    },
  };
}

/** Turns "Café, 2nd try" into cafe-2nd-try; empty if no letter or digit remains. */
function slug(text) {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
    .slice(0, MAX_ID).replace(/-+$/, '');
}
