// Page of the test double: shows and changes its journal, clocks, accounts and faults.
import { html, button, pageHead, table, actionsColumn, count } from './frame/dom.js';

const INTERVAL = 1000;
const SHOWN = 200;

const seen = {};

/** Calls a control; shows and throws any error. */
async function control(method, path, body) {
  let response;
  try {
    response = await fetch('/_fixture' + path, {
      method, headers: body ? { 'Content-Type': 'application/json' } : {}, body: body && JSON.stringify(body),
    });
  } catch (gone) {
    say(document.getElementById('banner'), 'Cannot reach the test double; check that it is running.');
    throw gone;
  }
  const text = await response.text();
  const answer = text ? JSON.parse(text) : {};
  if (!response.ok) {
    notify(answer.error, true);
    throw new Error(answer.error);
  }
  say(document.getElementById('banner'), '');
  return answer;
}

function say(place, text) {
  place.replaceChildren(text && html`<div class="banner"><p>${text}</p></div>`);
}

let hiding;

function notify(text, failed = false) {
  document.getElementById('status').replaceChildren(html`<p class="toast ${failed ? 'failed' : ''}">${text}</p>`);
  clearTimeout(hiding);
  hiding = setTimeout(() => document.getElementById('status').replaceChildren(), 4000);
}

/** A button that changes something, confirms it and refreshes the page. */
function act(label, done, work, attributes = {}) {
  return button(label, async () => {
    try {
      await work();
      notify(done);
      await look();
    } catch {
      // The error is already shown.
    }
  }, { class: 'small', ...attributes });
}

const path = (...parts) => '/' + parts.map(encodeURIComponent).join('/');

// Parts of the page; each is rendered again when its state changes.

function clockPart({ clock }) {
  const advance = (label, by) => act(label, 'Clock changed.', () => control('POST', '/clock/advance', { by }));
  return html`
    <p class="now"><time datetime=${clock.now}>${clock.now.replace('T', ' ').replace('Z', '')}</time>
      <span class="hint">${clock.offset === undefined ? 'stopped'
        : clock.offset === 'PT0S' ? 'system time' : 'running, ' + clock.offset + ' ahead'}</span></p>
    <div class="row">
      ${advance('+ 1 hour', 'PT1H')} ${advance('+ 1 day', 'P1D')} ${advance('+ 30 days', 'P30D')}
      ${clock.offset === undefined
        ? act('Start', 'Clock started.', () => control('PUT', '/clock', { from: clock.now }))
        : act('Stop', 'Clock stopped.', () => control('PUT', '/clock', { now: clock.now }))}
      ${act('Reset', 'Clock reset.', () => control('DELETE', '/clock'))}
    </div>`;
}

function accountsPart({ accounts, total }) {
  return accounts.length === 0 ? html`<p class="empty-line">No accounts.</p>` : html`
    <div class="scrolled" tabindex="0" role="region" aria-label="Accounts">
    ${table('list', ['Account', 'Plan', 'Used', 'Period ends', 'Keys', 'Templates', actionsColumn()], accounts.map(account => {
    const change = body => control('PATCH', path('accounts', account.email), body);
    const named = verb => ({ 'aria-label': `${verb} ${account.email}`, class: 'small quiet' });
    return html`
      <tr>
        <th scope="row">${account.email}</th>
        <td class="plan">${account.plan}</td>
        <td class="number">${account.used} of ${account.limits.requests}</td>
        <td class="time">${account.period.end.slice(0, 16).replace('T', ' ')}</td>
        <td>${account.keys.join(', ')}</td>
        <td>${account.templates.join(', ')}</td>
        <td class="acts">
          ${act('Use up', 'Quota used up.', () => change({ used: account.limits.requests }), named('Use up'))}
          ${act('Clear usage', 'Usage cleared.', () => change({ used: 0 }), named('Clear usage'))}
          ${act('End of period', 'Clock moved to the end of the period.',
            () => control('POST', '/clock/advance', { to: 'periodEnd', account: account.email }), named('End of period'))}
          ${act('Reset', 'Account reset.', () => control('POST', path('accounts', account.email, 'reset')),
            named('Reset'))}
        </td>
      </tr>`;
  }))}</div>
    ${accounts.length < total && html`<p class="empty-line">Showing ${accounts.length} of ${total} accounts.</p>`}`;
}

const said = fault => [
  fault.status && `status ${fault.status}${fault.error ? ' ' + fault.error : ''}`,
  fault.delayMs > 0 && `${fault.delayMs}${fault.maxDelayMs > fault.delayMs ? ' to ' + fault.maxDelayMs : ''} ms delay`,
  ...['truncate', 'drop', 'never'].filter(kind => fault[kind]),
  fault.bytesPerSecond && `${fault.bytesPerSecond} bytes per second`,
].filter(Boolean).join(', ');

const meets = fault => [fault.account, fault.bearer, fault.template].filter(Boolean).join(', ') || 'any request';

function faultsPart({ faults }) {
  return html`
    ${faults.length === 0 ? html`<p class="empty-line">No faults.</p>`
      : table('list', ['Number', 'Effect', 'Matches', 'Skips', 'Times left', actionsColumn()], faults.map(fault => html`
        <tr>
          <th scope="row">${fault.id}</th><td>${said(fault)}</td><td>${meets(fault)}</td><td class="number">${fault.after}</td>
          <td class="number">${fault.times ?? 'all'}</td>
          <td class="acts">${act('Delete', 'Fault deleted.', () => control('DELETE', path('faults', fault.id)),
            { class: 'small quiet', 'aria-label': 'Delete fault ' + fault.id })}</td>
        </tr>`))}`;
}

/** Faults in the form: label and fields. */
const KINDS = [
  ...[500, 503, 429, 401, 403, 404].map(status => ['status ' + status, { status }]),
  ['not published', { status: 404, error: 'template_not_published' }],
  ['5-second delay', { delayMs: 5000 }], ['100 bytes per second', { bytesPerSecond: 100 }], ['half the body', { truncate: true }],
  ['drop the connection', { drop: true }], ['no response', { never: true }],
];

/** Rendered only once, so that typed values are kept. */
function faultForm() {
  const form = html`
    <form class="inline">
      <label>Fault <select name="kind">${KINDS.map(([name], i) => html`<option value=${i}>${name}</option>`)}</select></label>
      <label>Template <input name="template" autocomplete="off" placeholder="any"></label>
      <label>Times <input name="times" inputmode="numeric" autocomplete="off" placeholder="until cleared"></label>
    </form>`;
  const add = act('Add fault', 'Fault added.', () => control('POST', '/faults', {
    ...KINDS[form.elements.kind.value][1],
    ...form.elements.template.value && { template: form.elements.template.value },
    ...form.elements.times.value && { times: Number(form.elements.times.value) },
  }), { class: '' });
  form.append(add, act('Clear all', 'Faults cleared.', () => control('DELETE', '/faults'), { class: 'quiet' }));
  form.addEventListener('submit', event => {
    event.preventDefault();
    add.click();
  });
  return form;
}

const met = ({ fault }) => fault ? ` fault ${fault.id}, ${fault.kind}` : '';

const arrived = ({ answer, bytes, of, delayMs }) =>
  (answer === 'whole' ? '' : answer === 'truncated' ? `, ${bytes} of ${of} bytes` : ', ' + answer)
    + (delayMs > 0 ? `, ${delayMs} ms delay` : '');

function requestRow(request) {
  return html`
    <tr class=${request.status >= 400 || request.received.answer !== 'whole' ? 'bad' : 'fine'}>
      <td class="number">${request.number}</td>
      <td class="time">${request.time.slice(11, 23)}</td>
      <td class="request">
        <details data-number=${request.number}><summary><code>${request.method} ${request.path}</code></summary>
          <pre>${Object.entries(request.headers).map(([name, value]) => name + ': ' + value).join('\n')}</pre></details>
        ${request.hint && html`<p class="hint">${request.hint}</p>`}
      </td>
      <td>${request.account ? `${request.account}, ${request.keyName}` : request.bearer ?? 'no key'}</td>
      <td><span class="code">${request.status}</span>${met(request)}${arrived(request.received)}</td>
    </tr>`;
}

function journalPart({ requests, total, dropped }) {
  if (total === 0) {
    return html`<p class="empty-line">No requests yet.</p>`;
  }
  const hidden = total - requests.length;
  return html`
    <div class="scrolled" tabindex="0" role="region" aria-label="Requests">
      ${table('list', ['Number', 'Time', 'Request', 'Key', 'Response'], requests.map(requestRow).reverse())}</div>
    ${hidden > 0 && html`<p class="hint">${count(hidden, 'older request')} not shown.</p>`}
    ${dropped > 0 && html`<p class="hint">${count(dropped, 'request')} dropped.</p>`}`;
}

// The page, which refreshes every second.

const places = {};

function build() {
  const place = name => places[name] = html`<div></div>`;
  document.getElementById('main').replaceChildren(html`
    <div class="fixture">
      ${pageHead('Test double',
        act('Reset everything', 'Everything reset.', () => control('POST', '/reset'), { class: 'danger' }))}
      <section aria-labelledby="clock"><h2 id="clock">Clock</h2>${place('clock')}</section>
      <section aria-labelledby="journal">
        <div class="head"><h2 id="journal">Journal</h2>
          ${act('Clear journal', 'Journal cleared.', () => control('DELETE', '/requests'))}</div>
        ${place('journal')}
      </section>
      <section aria-labelledby="accounts"><h2 id="accounts">Accounts</h2>${place('accounts')}</section>
      <section aria-labelledby="faults"><h2 id="faults">Faults</h2>${faultForm()}${place('faults')}</section>
    </div>`);
}

/** Renders a part if its state has changed; keeps open details and focus. */
function draw(name, part, state) {
  const text = JSON.stringify(state);
  if (seen[name] === text) {
    return;
  }
  seen[name] = text;
  const place = places[name];
  const open = [...place.querySelectorAll('details[open]')].map(each => each.dataset.number);
  const nameOf = node => node.getAttribute('aria-label') ?? node.textContent;
  const focused = place.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  place.replaceChildren(part(state));
  open.forEach(number => place.querySelector(`details[data-number="${number}"]`)?.setAttribute('open', ''));
  if (focused) {
    [...place.querySelectorAll('button, summary, [tabindex]')].find(each => nameOf(each) === focused)?.focus();
  }
}

async function look() {
  const [journal, clock, accounts, { faults }] = await Promise.all([
    control('GET', '/requests?limit=' + SHOWN), control('GET', '/clock'), control('GET', '/accounts'), control('GET', '/faults')]);
  draw('clock', clockPart, { clock });
  draw('journal', journalPart, journal);
  draw('accounts', accountsPart, accounts);
  draw('faults', faultsPart, { faults });
}

async function lookAgain() {
  if (!document.hidden) {
    await look().catch(() => {});
  }
  setTimeout(lookAgain, INTERVAL);
}

build();
lookAgain();
