// Features of an email that some mail clients do not support, least supported first. A template can accept a feature.
import { html, button, count } from '../frame/dom.js';
import { get, put } from '../frame/server.js';
import { attempt, formDialog } from '../frame/dialog.js';
import { checkbox } from '../frame/form.js';
import { inTurn } from '../frame/inturn.js';
import { placesOf } from '../frame/problems.js';
import { submitSeen } from '../frame/seen.js';
import { mayAs } from '../frame/session.js';
import { relativeTime } from '../frame/time.js';

const PAGES = 'https://www.caniemail.com/features/';

/**
 * @param path       URL of the template; null for a block, which cannot accept features
 * @param goTo       shows a place in the text
 * @param accepted   returns the accepted features: {id, title, by, at}
 * @param onAccepted receives the new list of accepted features
 * @param onClients  runs after the account has changed its mail clients
 * @return {node, show}
 */
export function featuresPanel({ path, accepted, goTo, onAccepted, onClients }) {
  const node = html`<section class="features" aria-label="Mail clients"></section>`;
  const open = new Set();
  const run = inTurn();
  let features = [];
  let shown = '';

  /** Shows the features, unless nothing has changed. @param found as reported by the server; by default those shown before */
  function show(found = features) {
    features = found;
    const state = JSON.stringify([found, accepted()]);
    if (state === shown) {
      return;
    }
    shown = state;
    const ids = new Set(accepted().map(({ id }) => id));
    const rest = found.filter(({ id }) => !ids.has(id));
    const lacking = rest.filter(({ none }) => none.length > 0);
    const partly = rest.filter(({ none }) => none.length === 0);
    node.replaceChildren(html`
      <div class="row">
        <h3 tabindex="-1">Mail clients</h3>
        ${mayAs('editor') && button('Select clients…', () => attempt(chooseClients), { class: 'small' })}
      </div>
      <p class="hint">${lacking.length === 0 ? 'No unsupported features to review.'
        : 'Some of the selected clients do not support these features.'}</p>
      ${list(lacking)}
      ${folded('partly', `${count(partly.length, 'feature')} partly supported`, partly.length > 0 && list(partly))}
      ${folded('accepted', `${count(ids.size, 'feature')} accepted for this template`, ids.size > 0 && acceptedList())}`);
  }

  /** @param key identifies the details, so that they stay open when rendered again */
  function folded(key, summary, contents) {
    return contents && html`
      <details ${{ open: open.has(key) }} @toggle=${event => event.target.open ? open.add(key) : open.delete(key)}>
        <summary>${summary}</summary>
        ${contents}
      </details>`;
  }

  const list = some => html`
    <ul class="checks">
      ${some.map(({ id, title, none, partly, places, morePlaces }) => html`
        <li class="advice">
          <span class="sentence">
            <code>${title}</code>: ${[none.length > 0 && 'not in ' + none.join(', '), partly.length > 0 && 'partly in ' + partly.join(', ')]
              .filter(Boolean).join('; ')}
          </span>
          ${byBlock(places).map(each => placesOf(each, goTo))}
          ${morePlaces > 0 && html`<span class="hint">and ${count(morePlaces, 'more place')}</span>`}
          <span class="row acts">
            <a class="small" href=${PAGES + id + '/'} target="_blank" rel="noopener noreferrer" aria-label=${'Learn more about ' + title}>Learn more</a>
            ${path && button('Accept', () => attempt(() => changeAccepted({ add: [id] })), { class: 'small quiet', 'aria-label': `Accept ${title}` })}
          </span>
        </li>`)}
    </ul>`;

  const acceptedList = () => html`
    <ul class="plain">
      ${accepted().map(({ id, title, by, at }) => html`
        <li class="row">
          <span><code>${title}</code> <span class="hint">${by && `by ${by}, `}${relativeTime(at)}</span></span>
          ${button('Undo', () => attempt(() => changeAccepted({ remove: [id] })), { class: 'small quiet', 'aria-label': `Undo accepting ${title}` })}
        </li>`)}
    </ul>`;

  /**
   * Accepts features or undoes that, after earlier changes. The heading then has the focus, unless the user has gone on to another place.
   *
   * @param given {add} or {remove}: IDs of features
   */
  async function changeAccepted(given) {
    const { accepted: now } = await run(() => put(path + '/features', given));
    const hadFocus = node.contains(document.activeElement);
    onAccepted(now);
    show();
    if (hadFocus) {
      node.querySelector('h3').focus();
    }
  }

  async function chooseClients() {
    const { date, clients } = await get('/data/clients');
    const boxes = clients.map(({ id, name, chosen }) => checkbox(id, name, chosen));
    const isSaved = await formDialog('Mail clients', 'Save', [
      html`<p>The Checks tab lists features that the selected clients do not fully support. This setting applies to all templates in the account.</p>`,
      html`<fieldset class="clients"><legend class="visually-hidden">Mail clients</legend>${boxes}</fieldset>`,
      html`<p class="hint">Source: caniemail.com, ${date}.</p><p class="error" data-error="clients"></p>`,
    ], submitSeen({ clients: clients.filter(({ chosen }) => chosen).map(({ id }) => id) },
      seen => clients.filter(({ id }) => seen.clients.includes(id)).map(({ name }) => name).join(', '),
      ({ seen, ...values }) => put('/data/clients', { clients: clients.map(({ id }) => id).filter(id => values[id]), seen })));
    if (isSaved) {
      onClients();
    }
  }

  return { node, show };
}

/** Groups places by text: {field, block, lines} for the draft, whose block is null, and each shared block. */
function byBlock(places) {
  const blocks = new Map();
  places.forEach(({ block, line }) => blocks.set(block, [...blocks.get(block) ?? [], line]));
  return [...blocks].map(([block, lines]) => ({ field: 'html', block, lines }));
}
