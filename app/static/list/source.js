// Shows where a template or shared block came from, and the effect of editing it here.
import { html } from '../frame/dom.js';
import { relativeTime } from '../frame/time.js';

/** @param source null for a text created in Stet @return null if there is nothing to show */
export function sourceNotice(source) {
  if (!source || source.how === 'seed') {
    return null;
  }
  const { how, at, by, note } = source;
  if (how === 'copy') {
    return html`
      <p class="notice source">
        Copied ${note}${by && ` by ${by}`} ${relativeTime(at)}. If you edit this text, Stet asks before a new copy overwrites your changes.
      </p>`;
  }
  return html`
    <p class="notice source">
      From ${how === 'push' ? 'Git' : 'files'}${note && `, ${note}`}${by && `, by ${by}`} ${relativeTime(at)}.
      This text is also stored in files. Edits made here block the next ${how} until a developer
      <a href="/docs/git-and-ci#conflicts">merges</a> them into the files or overwrites them.
    </p>`;
}
