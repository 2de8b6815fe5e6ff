// The preview in a separate tab; it follows the editor in another tab, including unsaved text.
import { html, link } from '../frame/dom.js';
import { get } from '../frame/server.js';
import { draftReceiver } from './draftchannel.js';
import { inspector } from './inspector.js';
import { preview } from './preview.js';

export function templatePreviewPage(id) {
  return previewPage('/data/templates/' + encodeURIComponent(id), '/templates/' + encodeURIComponent(id), true);
}

export function blockPreviewPage(name) {
  return previewPage('/data/blocks/' + encodeURIComponent(name), '/blocks/' + encodeURIComponent(name), false);
}

/** @param path URL of the text @param isDraft false for a block, which has no subject */
async function previewPage(path, editorAddress, isDraft) {
  const { name, subject = '', html: source, samples = {}, defaultSamples } = await get(path);
  let draft = { subject, html: source, samples, ...defaultSamples && { defaultSamples } };
  const view = preview({ read: () => draft, onChecked() {}, hasSubject: isDraft, inspecting: inspector({ code: null }) });
  const channel = draftReceiver(path, received => {
    draft = received;
    view.update();
  });
  return {
    title: 'Preview of ' + name,
    kind: 'editor',
    content: html`
      <header class="details">
        <div class="row title">${link(editorAddress, 'Back to editor', { class: 'crumb' })}<h1 tabindex="-1">${name}</h1></div>
      </header>
      <div class="only-preview">${view.node}</div>`,
    onShow() {
      view.update();
      channel.ask();
    },
    onLeave() {
      channel.close();
      view.close();
    },
  };
}
