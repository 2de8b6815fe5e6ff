// Sends image files to the account.
import { html, button } from '../frame/dom.js';
import { get, post, put } from '../frame/server.js';
import { dialog } from '../frame/dialog.js';
import { size } from '../frame/time.js';
import { examine } from './smaller.js';

/** File types for a file dialog. Others are converted by the browser if it can, or rejected with a sentence. */
export const ACCEPTED = 'image/*';

/** The first image among dropped or pasted files, or null. */
export function imageOf(transfer) {
  return [...transfer?.files ?? []].find(file => file.type.startsWith('image/')) ?? null;
}

/** True if something dragged over the page may be an image file. */
export function mayBeImage(transfer) {
  return [...transfer?.items ?? []].some(item => item.kind === 'file' && item.type.startsWith('image/'));
}

/**
 * Adds an image, or replaces the file of `target`. If the file is large, first offers a smaller copy.
 *
 * @param place  width at which the image is shown, in pixels
 * @param target {name, revision} to replace; null to add an image
 * @return the image, or undefined if the user cancels
 */
export async function upload(file, { place, target = null } = {}) {
  const found = await examine(file, { place, isPng: target?.name.endsWith('.png') });
  const sent = found.copy === null ? file : await chooseCopy(file, found);
  if (sent === undefined) {
    return undefined;
  }
  const body = { file: await base64(sent) };
  return target !== null ? put('/data/images/' + encodeURIComponent(target.name), { ...body, revision: target.revision })
    : post('/data/images', { ...body, fileName: sent.name });
}

/** Asks whether to use the smaller copy; the original may be too large to be sent. Resolves to a file, or undefined if cancelled. */
function chooseCopy(file, { width, height, isTooLarge, copy }) {
  const measures = (wide, high, bytes) => `${wide} × ${high} pixels, ${size(bytes)}`;
  return dialog('Use a smaller copy?', close => html`
    <p>
      ${isTooLarge ? 'This image is too large for an email, or in a format that some mail clients do not show.'
        : 'This image is larger than an email needs, and slow to load on phones.'}
      The copy looks the same in the email.
    </p>
    <dl class="copies">
      <dt>Original</dt><dd>${measures(width, height, file.size)}</dd>
      <dt>Smaller copy</dt><dd>${measures(copy.width, copy.height, copy.size)}</dd>
    </dl>
    <div class="actions">
      ${button('Cancel', () => close())}
      ${!isTooLarge && button('Use the original', () => close(file))}
      ${button('Use the smaller copy', () => close(copy), { class: 'primary', autofocus: true })}
    </div>`);
}

/** The contents of a file in Base64. */
function base64(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(',') + 1));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
}

/** True for an image that emails can include; false for an earlier file, which only published and sent emails use. */
export const hasName = image => image.name !== undefined;

/** All images that emails can include. */
export async function namedImages() {
  return (await get('/data/images')).images.filter(hasName);
}
