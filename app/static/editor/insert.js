// Shared blocks in the editor: insert a block at the cursor, or make a block from the selection.
import { html, button, link } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { dialog, formDialog, notify } from '../frame/dialog.js';
import { checkbox, field } from '../frame/form.js';
import { chooseImage, imageTag } from '../images/choose.js';
import { replaceInOthers } from './bulkreplace.js';

/** Maximum number of characters shown of a new block. */
const MAX_EXCERPT = 2_000;

const tagOf = name => `{{> ${name}}}`;

/** Names of all shared blocks. @param options for the request */
export async function blockNames(options) {
  return (await get('/data/blocks', options)).blocks.map(block => block.name);
}

/** Asks for a shared block and inserts its tag. @param own name of the block being edited, or null */
export async function insertBlock(code, own = null) {
  const name = await chooseBlock(own);
  if (name !== undefined) {
    code.insert(tagOf(name));
  }
}

/** Asks for a shared block; resolves to its name, or undefined if dismissed. @param own name of the block being edited, or null */
export async function chooseBlock(own = null, title = 'Insert shared block') {
  const names = (await blockNames()).filter(name => name !== own);
  return dialog(title, close => names.length === 0
    ? html`
      <p>No shared blocks yet. Turn a selection into a block, or create one under ${link('/blocks', 'Shared blocks')}.</p>`
    : html`
      <ul class="plain choices">
        ${names.map((each, i) => html`<li>${button(each, () => close(each), { class: 'mono', autofocus: i === 0 })}</li>`)}
      </ul>`);
}

/** Asks for an image and inserts it. @param file a dropped or pasted file, or null */
export async function insertImage(code, file = null) {
  const chosen = await chooseImage({ file });
  if (chosen) {
    code.insert(imageTag(chosen));
  }
}

/** Turns the selection into a shared block, leaving the block's tag in its place. @param onDone runs once that is done */
export async function makeBlock(code, onDone) {
  const text = code.selection();
  if (text.trim() === '') {
    notify('Select the HTML for the block first.', 'failed');
    return;
  }
  await makeBlockOf(text, name => {
    code.insert(tagOf(name));
    onDone();
  });
}

/**
 * Asks for a name and makes a shared block of HTML.
 *
 * @param text            the HTML
 * @param onMade          receives the name of the block that takes the place of the HTML, before other templates are changed; not called
 *                        for a copy
 * @param options.mayCopy true to offer to leave the HTML as it is
 */
export async function makeBlockOf(text, onMade, { mayCopy = false } = {}) {
  const block = await formDialog('Make a block', 'Create block', [
    html`<pre class="source excerpt" tabindex="0" role="group" aria-label="Selection">${text.slice(0, MAX_EXCERPT)}</pre>`,
    field('name', 'Name', {
      maxlength: 64, required: true, autofocus: true, spellcheck: 'false', class: 'mono', placeholder: 'e.g. footer',
    }, 'Letters, digits, - and _. The selection is replaced with a tag; publishing replaces the tag with the block.'),
    mayCopy && checkbox('isCopy', 'Leave this part as it is, and only save a copy'),
    checkbox('others', 'Also replace this text in other templates'),
  ], async ({ name, others, isCopy = false }) => ({ ...await post('/data/blocks', { name: name.trim(), html: text }), others, isCopy }));
  if (block) {
    if (!block.isCopy) {
      onMade(block.name);
    }
    notify(block.isCopy ? `Block ${block.name} saved. Add it to other emails as a block, or as a copy.`
      : `Block ${block.name} created. To include the block in emails, save and publish the draft.`);
    if (block.others) {
      await replaceInOthers(text, tagOf(block.name));
    }
  }
}
