// Visual comparison: two rendered emails side by side, laid out for desktop and scaled to fit.
import { html } from './dom.js';
import { post } from './server.js';
import { attempt } from './dialog.js';
import { previewFrame } from './preview.js';
import { tabs } from './tabs.js';

/** Size of a picture in pixels before scaling. */
const WIDTH = 640;
const HEIGHT = 900;

/** URL of a version's preview. */
export async function versionPreview(id, number) {
  return (await post(`/data/templates/${encodeURIComponent(id)}/versions/${number}/preview`)).preview;
}

/** URL of a preview of {subject, html} with test data. */
export async function draftPreview({ subject, html: source, samples, defaultSamples }) {
  const data = samples && Object.keys(samples).length > 0 ? { samples, defaultSamples } : { samples: {} };
  return (await post('/data/check', { subject, html: source, ...data })).preview;
}

/**
 * A change as text, with rendered emails on request.
 *
 * @param difference the change as text
 * @param sides      pairs of {name, address}; `address` resolves to a preview URL
 */
export function change(difference, sides) {
  const row = html`<div class="pictures"></div>`;
  let isShown = false;
  const open = () => attempt(async () => {
    if (!isShown) {
      isShown = true;
      const addresses = await Promise.all(sides.map(side => side.address()));
      row.replaceChildren(...sides.map(({ name }, i) => picture(name, addresses[i])));
    }
  });
  return tabs('What changes', [{ name: 'Text', panel: difference }, { name: 'Preview', panel: row, open }]).node;
}

function picture(name, address) {
  const frame = previewFrame(address, { title: 'Preview of ' + name, sandbox: 'allow-scripts' });
  const place = html`<div class="picture">${frame}</div>`;
  frame.style.width = WIDTH + 'px';
  frame.style.height = HEIGHT + 'px';
  new ResizeObserver(() => {
    const scale = Math.min(1, place.clientWidth / WIDTH);
    frame.style.transform = `scale(${scale})`;
    place.style.height = HEIGHT * scale + 'px';
  }).observe(place);
  return html`<figure><figcaption>${name}</figcaption>${place}</figure>`;
}
