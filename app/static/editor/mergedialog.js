// Dialog for merging two texts: each change with its choices.
import { html, button, count } from '../frame/dom.js';
import { dialog } from '../frame/dialog.js';
import { hasSubject } from '../frame/difference.js';
import { jsdiff } from '../frame/library.js';
import { choiceOf, merge, mergeLine, merged } from '../frame/merge.js';
import { picturesTab } from '../preview/pictures.js';
import { tabs } from '../frame/tabs.js';
import { shownUnseen } from '../frame/unseen.js';
import { wordDifferences } from '../preview/words.js';

/** Maximum number of characters shown of a text. */
const SHOWN_CHARACTERS = 4000;

/**
 * Resolves to the merged {subject, html}, or undefined if the user goes back.
 *
 * @param base      the common base of both texts
 * @param mine      the user's text; `theirs` is the other
 * @param theirName label of their text
 * @param preview   resolves to the preview of a text
 */
export async function askToMerge({ base, mine, theirs, theirName, preview }) {
  const subject = hasSubject(base) ? mergeLine(base.subject, mine.subject, theirs.subject) : [];
  const lines = merge(await jsdiff(), base.html, mine.html, theirs.html);
  if (!lines) {
    return dialog('Merge changes', close => html`
      <p>These versions cannot be merged because too many lines have changed. Keep one version and copy what you need from the other.</p>
      <div class="actions">${button('Back', () => close(), { class: 'primary', autofocus: true })}</div>`);
  }
  const columns = [['base', 'Before'], ['mine', 'Yours'], ['theirs', theirName]];
  const places = [...subject.map(part => place(part, { title: 'Subject', columns, mayTakeBoth: false })),
    ...lines.map(part => place(part, { title: `Line ${part.line}`, columns, mayTakeBoth: true }))];
  const conflicts = places.filter(each => each.part.kind === 'conflict');
  const others = places.filter(each => each.part.kind !== 'conflict' && each.part.kind !== 'same');

  /** Closes the dialog with the merged text, unless a choice is missing. */
  function finish(close) {
    const missing = conflicts.find(each => !each.choice());
    if (missing) {
      view.show('HTML');
      missing.ask();
      return;
    }
    close(current());
  }

  /** The merged text with the choices so far; where none was made, it has the user's own version. */
  function current() {
    const choices = places.map(each => each.choice() ?? 'mine');
    const given = { html: merged(lines, choices.slice(subject.length)) };
    return subject.length > 0 ? { subject: merged(subject, choices), ...given } : given;
  }

  const view = tabs('Merge changes', [
    { name: 'Text', panel: await wordDifferences(theirs, mine, [theirName.toLowerCase(), 'yours']) },
    picturesTab([
      { name: 'Yours', ask: () => preview(mine) },
      { name: theirName, ask: () => preview(theirs) },
      { name: 'Merged', ask: () => preview(current()) },
    ], { isLive: true }),
    { name: 'HTML', panel: html`
      <div>
        <div class="merge-places">${conflicts.map(each => each.node)}</div>
        ${others.length > 0 && html`
          <details open=${conflicts.length === 0}>
            <summary>${count(others.length, 'change')} merged without conflicts</summary>
            <div class="merge-places">${others.map(each => each.node)}</div>
          </details>`}
      </div>` },
  ]);
  view.show('HTML');

  return dialog('Merge changes', close => html`
    <p>${conflicts.length > 0 ? `Resolve ${count(conflicts.length, 'conflict')}: choose which version to keep.`
      : 'There are no conflicts.'} The merged text opens in the editor, where you can review and save it.</p>
    ${view.node}
    <div class="actions">
      ${button('Back', () => close())}
      ${button('Use merged text', () => finish(close), { class: 'primary' })}
    </div>`, { wide: true });
}

let last = 0;

/**
 * A part with its choices: {part, node, choice, ask}; `choice` returns the current one, and `ask` asks for one that is missing.
 *
 * @param columns     pairs of a side and its label
 * @param mayTakeBoth true to offer both sides for a conflict, one below the other
 */
function place(part, { title, columns, mayTakeBoth }) {
  let choice = choiceOf(part);
  if (part.kind === 'same') {
    return { part, node: null, choice: () => choice, ask: () => {} };
  }
  const name = 'place-' + ++last;
  const error = html`<p class="error" role="alert"></p>`;
  const radio = (value, label) => html`
    <label><input type="radio" name=${name} value=${value} checked=${value === choice} aria-label=${`${label}, ${title}`} @change=${() => {
      choice = value;
      error.textContent = '';
    }}>${label}</label>`;
  const node = html`
    <fieldset class="merge-place">
      <legend>${title}</legend>
      ${error}
      <div class="columns">
        ${columns.map(([side, label]) => html`<div>${radio(side, label)}${shown(part[side].join(''), `${label}, ${title}`)}</div>`)}
      </div>
      ${part.kind === 'conflict' && mayTakeBoth && radio('both', `Yours, then ${columns[2][1].toLowerCase()}`)}
    </fieldset>`;
  return {
    part,
    node,
    choice: () => choice,
    ask() {
      error.textContent = 'Choose a version.';
      node.querySelector('input').focus();
    },
  };
}

/** The beginning of a text, as source. */
function shown(text, label) {
  if (text === '') {
    return html`<p class="hint">Nothing</p>`;
  }
  const lines = shownLines(text.slice(0, SHOWN_CHARACTERS));
  return html`<pre class="source" tabindex="0" role="group" aria-label=${label}>${lines}${text.length > SHOWN_CHARACTERS && '…'}</pre>`;
}

/** A text with labels on its unseen characters, except for the CR of line ends. */
function shownLines(text) {
  return text.split(/\r?\n/).flatMap((line, i) => [i > 0 ? '\n' : '', shownUnseen(line)]);
}
