// An email as listed in an inbox: subject, then preview text.
import { html, count } from '../frame/dom.js';

/** Approximate number of subject characters that phones show. */
const SHORT_SUBJECT = 40;

/** The line of an email in an inbox: {node, show}. */
export function inboxLine() {
  const subject = html`<b class="inbox-subject"></b>`;
  const preheader = html`<span class="inbox-preheader"></span>`;
  const lengths = html`<p class="inbox-lengths hint"></p>`;
  const node = html`
    <div class="inbox">
      <p class="inbox-line">${subject}${preheader}</p>
      ${lengths}
    </div>`;

  /** @param email {subject, preheader: {text, length}}: `text` is what inboxes show, of which `length` characters are the preheader */
  function show(email) {
    const { text, length: preheaderLength } = email.preheader;
    const length = [...email.subject].length;
    subject.textContent = email.subject === '' ? '(no subject)' : email.subject;
    subject.classList.toggle('none', length === 0);
    preheader.textContent = preheaderLength > 0 ? [...text].slice(0, preheaderLength).join('') : text;
    const truncated = length > SHORT_SUBJECT ? ', truncated on phones' : '';
    lengths.textContent = `Subject: ${count(length, 'character')}${truncated}. ${preheaderSentence(email.preheader)}`;
  }

  return { node, show };
}

/** The sentence about what inboxes show after the subject. */
function preheaderSentence({ text, length }) {
  if (length > 0) {
    return `Preheader: ${count(length, 'character')}.`;
  }
  return text === '' ? 'Inboxes show no preview text.' : 'There is no preheader, so inboxes show the start of the email.';
}
