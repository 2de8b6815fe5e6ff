// An email as listed in an inbox: subject, then preview text.
import { html, count } from '../frame/dom.js';

/** Approximate number of subject characters that phones show. */
const SHORT_SUBJECT = 40;

export function inboxLine() {
  const subject = html`<b class="inbox-subject"></b>`;
  const preheader = html`<span class="inbox-preheader"></span>`;
  const lengths = html`<p class="inbox-lengths hint"></p>`;
  const node = html`
    <div class="inbox">
      <p class="inbox-line">${subject}${preheader}</p>
      ${lengths}
    </div>`;

  function show(mail) {
    const length = [...mail.subject].length;
    subject.textContent = mail.subject === '' ? '(no subject)' : mail.subject;
    subject.classList.toggle('none', length === 0);
    preheader.textContent = mail.preheader.length > 0 ? [...mail.preheader.text].slice(0, mail.preheader.length).join('')
      : mail.preheader.text;
    lengths.textContent = `Subject: ${count(length, 'character')}${length > SHORT_SUBJECT ? ', truncated on phones' : ''}. `
      + (mail.preheader.length > 0 ? `Preheader: ${count(mail.preheader.length, 'character')}.`
        : mail.preheader.text === '' ? 'Inboxes show no preview text.' : 'There is no preheader, so inboxes show the start of the email.');
  }

  return { node, show };
}
