// Visual comparison: two rendered emails side by side, laid out for desktop and scaled to fit.
import { html } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { attempt } from '../frame/dialog.js';
import { differences, hasSubject, newText } from '../frame/difference.js';
import { turns } from '../frame/inturn.js';
import { lostNote, previewFrame } from './preview.js';
import { tabs } from '../frame/tabs.js';
import { wordDifferences } from './words.js';

/** Size of a picture in pixels before scaling. */
const WIDTH = 640;
const HEIGHT = 900;

/** Preview of a version. */
export const versionPreview = (id, number) => post(`/data/templates/${encodeURIComponent(id)}/versions/${number}/preview`);

/** Preview of {subject, html} with test data, if it has any. */
export function draftPreview({ subject, html: source, samples, defaultSamples }) {
  const hasData = Object.keys(samples ?? {}).length > 0;
  return post('/data/check', { subject, html: source, ...hasData ? { samples, defaultSamples } : { samples: {} } });
}

/**
 * A change as text, as rendered emails on request, and as HTML.
 *
 * @param names labels of the two texts in the differences
 * @param sides pairs of {name, ask}; `ask` resolves to {preview, lost}: the URL of a preview, and what mail clients lose, if known
 */
export async function changeView(before, after, names, sides) {
  const words = await wordDifferences(before, after, names);
  const view = tabs('What changes', [
    { name: 'Text', panel: words },
    picturesTab(sides),
    { name: 'HTML', panel: await differences(before, after, names) },
  ]);
  if (!words.querySelector('.difference')) {
    view.show('HTML');
  }
  return view.node;
}

/**
 * The tab that renders emails side by side, once it is shown.
 *
 * @param sides  as for changeView
 * @param isLive true to render them each time the tab is shown
 */
export function picturesTab(sides, { isLive = false } = {}) {
  const row = html`<div class="pictures"></div>`;
  const begin = turns();
  let isShown = false;
  const open = () => attempt(async () => {
    if (isShown && !isLive) {
      return;
    }
    const isLatest = begin();
    const shown = await Promise.all(sides.map(side => side.ask()));
    if (isLatest()) {
      isShown = true;
      row.replaceChildren(...sides.map(({ name }, i) => picture(name, shown[i])));
    }
  });
  return { name: 'Preview', panel: row, open };
}

/**
 * An email's HTML with a text in all places of a shared block: {html, offset}, where `offset` is that of the first place; null if the email does
 * not include the block.
 */
export function withBlock(name, source, { html: email }) {
  const tag = new RegExp(`\\{\\{~?\\s*>\\s*["']?${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}["']?\\s*~?\\}\\}`, 'g');
  const offset = email.search(tag);
  return offset < 0 ? null : { html: email.replace(tag, () => source), offset };
}

/**
 * The part that mail clients lose of an email from {@link withBlock}, as the server names it, with the email's ID. Without line numbers, because
 * the block's text shifts the email's lines.
 */
export const lostIn = (id, lost) => lost && lost.replace(/^lines? [^:]*: /, `in ${id}: `);

/** Preview of a text. @param owner the saved draft, or the block with its name and the IDs of its users in `templates` */
export const textPreview = (text, { name, templates }) => hasSubject(text) ? draftPreview(text) : blockPreview(name, text, templates ?? []);

/** Preview of the text of a shared block in the first email that includes it, or alone. @param templates ids of the block's users */
async function blockPreview(name, { html: source }, templates) {
  const user = templates.length > 0 && await get('/data/templates/' + encodeURIComponent(templates[0]));
  const text = user && withBlock(name, source, user);
  if (!text) {
    return draftPreview({ subject: '', html: source });
  }
  const shown = await draftPreview({ ...user, html: text.html });
  return { ...shown, lost: lostIn(user.id, shown.lost) };
}

/** A text with its changes, or a new text. @param before null for a new text */
export const changeOrNew = (before, after, names, sides) => before ? changeView(before, after, names, sides) : newText(after);

/** An email at the URL of its preview, scaled to the width that there is. @param lost what mail clients lose, if known */
function picture(name, { preview, lost }) {
  const frame = previewFrame(preview, { title: 'Preview of ' + name, sandbox: 'allow-scripts' });
  const place = html`<div class="picture">${frame}</div>`;
  frame.style.width = WIDTH + 'px';
  frame.style.height = HEIGHT + 'px';
  new ResizeObserver(() => {
    const scale = Math.min(1, place.clientWidth / WIDTH);
    frame.style.transform = `scale(${scale})`;
    place.style.height = HEIGHT * scale + 'px';
  }).observe(place);
  return html`<figure><figcaption>${name}</figcaption>${lost && html`<p class="hint">${lostNote(lost)}</p>`}${place}</figure>`;
}
