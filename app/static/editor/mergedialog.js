// Dialog for merging two texts: each change with its choices.
import { html, button, count } from '../frame/dom.js';
import { dialog } from '../frame/dialog.js';
import { hasSubject } from '../frame/difference.js';
import { textDifference } from '../frame/library.js';
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
 * @param theirName label of their text
 * @param preview   gives the URL of a text's preview
 */
export async function askToMerge(base, mine, theirs, theirName, preview) {
  const subject = hasSubject(base) ? mergeLine(base.subject, mine.subject, theirs.subject) : [];
  const lines = merge(await textDifference(), base.html, mine.html, theirs.html);
  if (!lines) {
    return dialog('Merge changes', close => html`
      <p>These versions cannot be merged because too many lines have changed. Keep one version and copy what you need from the other.</p>
      <div class="actions">${button('Back', () => close(), { class: 'primary', autofocus: true })}</div>`);
  }
  const columns = [['base', 'Before'], ['mine', 'Yours'], ['theirs', theirName]];
  const places = [...subject.map(part => place(part, 'Subject', columns)),
    ...lines.map(part => place(part, `Line ${part.line}`, columns))];
  const conflicts = places.filter(each => each.part.kind === 'conflict');
  const others = places.filter(each => each.part.kind !== 'conflict' && each.part.kind !== 'same');

  function result(close) {
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
    picturesTab([['Yours', () => mine], [theirName, () => theirs], ['Merged', current]].map(([name, text]) => ({ name, ask: () => preview(text()) })), true),
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
      ${button('Use merged text', () => result(close), { class: 'primary' })}
    </div>`, { wide: true });
}

let last = 0;

/** A part: its node and the current choice. Unchanged parts have no node. */
function place(part, title, columns) {
  let choice = choiceOf(part);
  if (part.kind === 'same') {
    return { part, choice: () => choice };
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
      ${part.kind === 'conflict' && title !== 'Subject' && radio('both', `Yours, then ${columns[2][1].toLowerCase()}`)}
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

function shown(text, label) {
  return text === '' ? html`<p class="hint">Nothing</p>`
    : html`<pre class="source" tabindex="0" role="group" aria-label=${label}>${shownLines(text.slice(0, SHOWN_CHARACTERS))}${text.length > SHOWN_CHARACTERS && '…'}</pre>`;
}

/** A text with labels on its unseen characters, except for the CR of line ends. */
function shownLines(text) {
  return text.split(/\r?\n/).flatMap((line, i) => [i > 0 ? '\n' : '', shownUnseen(line)]);
}
