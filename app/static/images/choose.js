// The dialog that chooses an image for an email: one of the account's, or a new file.
import { html, button } from '../frame/dom.js';
import { attempt, dialog } from '../frame/dialog.js';
import { checkbox, field, form, refusal } from '../frame/form.js';
import { PLACE } from './smaller.js';
import { ACCEPTED, imageOf, namedImages, upload } from './upload.js';

/**
 * Opens the dialog, after adding the file if there is one.
 *
 * @param options.file  a dropped or pasted file to add first
 * @param options.place width at which the image is shown, in pixels; 600 unless known
 * @param options.alt   the description to start with; the empty string for a decorative image
 * @param options.isSourceOnly   true if the image takes the place of one that has a description
 * @param options.mayGiveAddress true to offer an address elsewhere instead; then the dialog can resolve to {isAddress: true}
 * @return {name, alt, width, height}, or undefined if dismissed; `name` is without its folder, `alt` is empty for a decorative image
 */
export async function chooseImage({ file = null, place, alt, isSourceOnly = false, mayGiveAddress = false } = {}) {
  const added = file === null ? null : await upload(file, { place });
  if (added === undefined) {
    return undefined;
  }
  const images = await namedImages();
  const options = { chosen: added?.name ?? null, place, alt, isSourceOnly, mayGiveAddress };
  return dialog('Choose an image', close => choices(images, options, close), { wide: true });
}

/** The HTML of an image as the editor inserts it. @param place greatest width at which it is shown, in pixels */
export function imageTag({ name, alt, width }, place = PLACE) {
  const shown = Math.min(width, place);
  return `<img src="{{> images/${name}}}" width="${shown}" alt="${alt.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`
    + ` style="display:block;width:100%;max-width:${shown}px;height:auto;border:0">`;
}

/**
 * The form of the dialog.
 *
 * @param options see {@link chooseImage}; `chosen` is the name of the image to select first, or null
 * @param close   receives the result of the dialog
 */
function choices(images, { chosen: first, place, alt, isSourceOnly, mayGiveAddress }, close) {
  let all = images;
  const grid = html`<div class="image-choices" role="radiogroup" aria-label="Images"></div>`;
  const file = html`
    <input type="file" accept=${ACCEPTED} class="visually-hidden" aria-label="Image file" tabindex="-1" @change=${() => attempt(() => add(file.files[0]))}>`;
  const none = html`<p class="hint">This account has no images yet.</p>`;

  /** Shows all images. @param chosen name of the selected one, or null */
  function show(chosen) {
    none.hidden = all.length > 0;
    grid.replaceChildren(...all.map(image => html`
      <label class="image-choice">
        <input type="radio" name="name" value=${image.name} checked=${image.name === chosen}>
        <img src=${image.path} alt="" loading="lazy">
        <span class="mono">${image.name}</span>
        <span class="hint">${image.width} × ${image.height}</span>
      </label>`));
  }

  /** Uploads a file and selects it. @param given undefined if the user has chosen none */
  async function add(given) {
    file.value = '';
    const added = given && await upload(given, { place });
    if (added) {
      all = await namedImages();
      show(added.name);
      grid.querySelector(':checked')?.scrollIntoView({ block: 'nearest' });
      node.elements.alt?.focus();
    }
  }

  const onDrop = event => {
    const dropped = imageOf(event.dataTransfer);
    if (dropped) {
      event.preventDefault();
      event.stopPropagation();
      attempt(() => add(dropped));
    }
  };
  const node = form('Insert', ({ name, alt: text = '', decorative }) => {
    if (!name) {
      throw refusal('Choose an image', 'name');
    }
    if (!isSourceOnly && !decorative && text.trim() === '') {
      throw refusal('Describe the image, or mark it as decorative', 'alt');
    }
    const { width, height } = all.find(image => image.name === name);
    close({ name, alt: decorative ? '' : text.trim(), width, height });
  }, [
    html`<div class="image-drop" @drop=${onDrop} @dragover=${event => event.preventDefault()}>
      ${file}
      ${button('Upload an image…', () => file.click())}
      <span class="hint">or drop a file here. PNG, JPEG or GIF; photos are made smaller.</span>
    </div>`,
    none,
    grid,
    html`<p class="error" data-error="name" role="alert"></p>`,
    !isSourceOnly && [
      field('alt', 'Description', { maxlength: 300, value: alt ?? '' },
        'Mail clients show it until the image is loaded, and screen readers read it. For a picture of text, write the text.'),
      checkbox('decorative', 'Decorative, needs no description', alt === ''),
    ],
  ], mayGiveAddress && button('Use an address instead…', () => close({ isAddress: true })), button('Cancel', () => close()));
  show(first);
  return node;
}
