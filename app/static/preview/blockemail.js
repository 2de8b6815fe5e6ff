// Preview of a shared block in an email that includes it, or alone.
import { html } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { lostIn, withBlock } from './pictures.js';

/** Maximum number of emails to choose from. */
const MAX_LISTED = 200;

/**
 * @param block    returns the saved block
 * @param onChange runs when another email is chosen
 * @return the choice of an email, and `ask` for preview.js
 */
export function blockEmail({ block, onChange }) {
  const { name, templates } = block();
  let loaded = null; // the email that was shown last
  const select = html`
    <select id="shown-in" @change=${choose}>
      ${templates.slice(0, MAX_LISTED).map(id => html`<option value=${id}>${id}</option>`)}
      <option value="">the block alone</option>
    </select>`;
  select.selectedIndex = 0;
  const node = html`<span class="row shown-in"><label for="shown-in">Shown in</label>${select}</span>`;
  node.hidden = templates.length === 0;

  function choose() {
    loaded = null;
    onChange();
  }

  /** The email with this ID, which is loaded once. */
  async function load(id) {
    if (loaded?.id !== id) {
      loaded = await get('/data/templates/' + encodeURIComponent(id));
    }
    return loaded;
  }

  /** Checks the block, and previews it in the email. `offset` is the block's place in the HTML of the preview. */
  async function ask(draft, options) {
    const email = select.value === '' ? null : await load(select.value);
    const text = email && withBlock(name, draft.html, email);
    if (text === null) { // alone, or the email no longer includes the block
      return post('/data/check', draft, options);
    }
    const filled = { subject: email.subject, html: text.html, ...samplesOf(email, draft) };
    const [checked, shown] = await Promise.all([draft, filled].map(each => post('/data/check', each, options)));
    const { preview, cut, marked, helpers, lost } = shown;
    return { ...checked, preview, cut, marked, helpers, lost: lost && (checked.lost ?? lostIn(email.id, lost)), offset: text.offset };
  }

  return { node, ask };
}

/** The email's test data with what was entered for the block; without it if either is invalid. */
function samplesOf({ samples = {}, defaultSamples }, draft) {
  const ofBlock = draft.defaultSamples ?? Object.keys(draft.samples)[0];
  try {
    const [email, block] = [samples[defaultSamples], draft.samples[ofBlock]].map(text => JSON.parse(text ?? '{}'));
    return { samples: { data: JSON.stringify({ ...email, ...block }) }, defaultSamples: 'data' };
  } catch {
    return { samples, ...defaultSamples && { defaultSamples } };
  }
}
