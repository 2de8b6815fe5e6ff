// The preview alone, in a tab of its own: it follows the draft at the desk of another tab, unsaved text too.
import { html, link } from './dom.js';
import { get } from './server.js';
import { account } from './session.js';
import { inspector } from './inspect.js';
import { preview } from './preview.js';

/** The channel between the tabs of one browser that have a text open; other origins have no part in it. */
function channelOf(path) {
  return new BroadcastChannel(`stet ${account.id} ${path}`);
}

/** Tells other tabs what the desk shows. @return {tell, close} */
export function toOtherTabs(path) {
  const channel = channelOf(path);
  let last = null;
  channel.addEventListener('message', ({ data }) => data === 'ask' && last && channel.postMessage(last));
  return {
    tell(draft) {
      last = draft;
      channel.postMessage(draft);
    },
    close: () => channel.close(),
  };
}

export function templatePreviewPage(id) {
  return alonePage('/data/templates/' + encodeURIComponent(id), '/templates/' + encodeURIComponent(id), true);
}

export function blockPreviewPage(name) {
  return alonePage('/data/blocks/' + encodeURIComponent(name), '/blocks/' + encodeURIComponent(name), false);
}

async function alonePage(path, desk, isDraft) {
  const { name, subject = '', html: source, samples = {}, defaultSamples } = await get(path);
  let draft = { subject, html: source, samples, ...defaultSamples && { defaultSamples } };
  const view = preview({ read: () => draft, onChecked() {}, hasSubject: isDraft, inspecting: inspector({ code: null }) });
  const channel = channelOf(path);
  channel.addEventListener('message', ({ data }) => {
    if (typeof data?.html === 'string') {
      draft = data;
      view.update();
    }
  });
  return {
    title: 'Preview of ' + name,
    kind: 'desk',
    content: html`
      <header class="details">
        <div class="row title">${link(desk, 'To the editor', { class: 'crumb' })}<h1 tabindex="-1">${name}</h1></div>
      </header>
      <div class="alone">${view.node}</div>`,
    onShow() {
      view.update();
      channel.postMessage('ask');
    },
    onLeave() {
      channel.close();
      view.close();
    },
  };
}
