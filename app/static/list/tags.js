// Tags of a template, edited on its page.
import { html, button } from '../frame/dom.js';
import { get, put } from '../frame/server.js';
import { attempt } from '../frame/dialog.js';
import { inTurn } from '../frame/inturn.js';

/** Splits comma-separated tags. */
export function tagsOf(text) {
  return text.split(',').map(tag => tag.trim()).filter(Boolean);
}

/** Tags as chips, with a field to add more. Tags are saved immediately and are not part of the draft. */
export function tagEditor(id, tags) {
  const path = '/data/templates/' + encodeURIComponent(id) + '/tags';
  const chips = html`<span class="tags"></span>`;
  const run = inTurn();
  const known = html`<datalist id="known-tags"></datalist>`;
  const input = html`
    <input type="text" class="tag-input" aria-label="Add a tag" placeholder="Add a tag" list="known-tags" maxlength="200"
      autocomplete="off" spellcheck="false" @keydown=${onKey} @focus=${() => attempt(suggest)} @change=${() => attempt(add)}>`;

  /** Shows these tags. If a removed one had the focus, that goes to the next one, or to the field if none is left. */
  function show(present) {
    const focused = [...chips.children].findIndex(chip => chip.contains(document.activeElement));
    chips.replaceChildren(...present.map(tag => html`
      <span class="tag">${tag}${button('✕', () => attempt(() => change([], [tag])),
        { class: 'tag-remove', 'aria-label': 'Remove tag ' + tag })}</span>`));
    if (focused >= 0) {
      const next = chips.children[Math.min(focused, present.length - 1)];
      (next?.querySelector('button') ?? input).focus();
    }
  }

  /** Adds and removes tags, after earlier changes, and shows the result. */
  async function change(added, removed) {
    show((await run(() => put(path, { add: added, remove: removed }))).tags);
    if (added.length > 0) {
      chips.scrollTo(chips.scrollWidth, 0);
    }
  }

  /** Adds the typed tags. If that fails, they return to the field, before what has been typed since. */
  async function add() {
    const added = tagsOf(input.value);
    if (added.length > 0) {
      const typed = input.value;
      input.value = '';
      try {
        await change(added, []);
      } catch (failure) {
        input.value = [typed, input.value].filter(Boolean).join(', ');
        throw failure;
      }
    }
  }

  /** Enter and comma add what is typed, unless the key only ends the composition of a character. */
  function onKey(event) {
    if (!event.isComposing && (event.key === 'Enter' || event.key === ',')) {
      event.preventDefault();
      attempt(add);
    }
  }

  /** Suggests other templates' tags. */
  async function suggest() {
    if (known.firstChild === null) {
      const { templates } = await get('/data/templates', { quiet: true });
      const all = [...new Set(templates.flatMap(each => each.tags))].sort();
      known.replaceChildren(...all.map(tag => html`<option value=${tag}></option>`));
    }
  }

  show(tags);
  return html`<span class="row tagging">${chips}${input}${known}</span>`;
}
