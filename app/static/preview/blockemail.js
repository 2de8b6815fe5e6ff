// Preview of a shared block in an email that includes it, or alone.
import { html } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { attempt } from '../frame/dialog.js';
import { lostIn, withBlock } from './pictures.js';

/** Maximum number of emails to choose from. */
const MAX_LISTED = 200;

/**
 * @param block    returns the saved block
 * @param onChange runs when another email is chosen
 * @return the choice of an email, and `ask` for preview.js
 */
export function blockMail({ block, onChange }) {
  const { name, templates } = block();
  let mail = null; // the chosen email, once loaded
  const select = html`
    <select id="shown-in" @change=${() => attempt(choose)}>
      ${templates.slice(0, MAX_LISTED).map(id => html`<option value=${id}>${id}</option>`)}
      <option value="">the block alone</option>
    </select>`;
  select.selectedIndex = 0;
  const node = html`<span class="row shown-in"><label for="shown-in">Shown in</label>${select}</span>`;
  node.hidden = templates.length === 0;

  async function choose() {
    mail = null;
    onChange();
  }

  /** Checks the block, and previews it in the email. `offset` is the block's place in the HTML of the preview. */
  async function ask(draft, options) {
    if (select.value === '') {
      return post('/data/check', draft, options);
    }
    const chosen = select.value;
    const user = mail?.id === chosen ? mail : mail = await get('/data/templates/' + encodeURIComponent(chosen));
    const text = withBlock(name, draft.html, user);
    const [checked, shown] = await Promise.all([post('/data/check', draft, options), text && post('/data/check', {
      subject: user.subject, html: text.html, ...filled(user, draft) }, options)]);
    return shown ? { ...checked, preview: shown.preview, cut: shown.cut, marked: shown.marked, helpers: shown.helpers,
      lost: shown.lost && (checked.lost ?? lostIn(chosen, shown.lost)), offset: text.offset } : checked;
  }

  return { node, ask };
}

/** The email's test data, with what was entered for the block. */
function filled({ samples = {}, defaultSamples }, draft) {
  try {
    const [mail, block] = [samples[defaultSamples], draft.samples[draft.defaultSamples ?? Object.keys(draft.samples)[0]]].map(text => JSON.parse(text ?? '{}'));
    return { samples: { data: JSON.stringify({ ...mail, ...block }) }, defaultSamples: 'data' };
  } catch {
    return { samples, ...defaultSamples && { defaultSamples } };
  }
}
