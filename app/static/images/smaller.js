// A smaller copy of an image, made by the browser.

/** Larger files are worth a smaller copy; much larger ones are slow on phones. */
const LARGE_BYTES = 200 << 10;
/** Limits of the server. */
const MAX_BYTES = 2 << 20;
const MAX_SIDE = 4000;
/** Width of an email's content in pixels; images are shown at most twice as sharp. */
export const PLACE = 600;
const QUALITIES = [0.82, 0.7, 0.55];

/**
 * Looks at a chosen file.
 *
 * @param place width at which the image is shown, in pixels
 * @param isPng true if the copy has to be a PNG, because it replaces one
 * @return {width, height, isTooLarge, copy}; `copy` is a smaller file, or null if none is needed or can be made
 */
export async function examine(file, place = PLACE, isPng = false) {
  const isGif = file.type === 'image/gif';
  const picture = await createImageBitmap(file).catch(() => null);
  if (picture === null) {
    return { width: null, height: null, isTooLarge: file.size > MAX_BYTES, copy: null };
  }
  const { width, height } = picture;
  const isTooLarge = file.size > MAX_BYTES || Math.max(width, height) > MAX_SIDE;
  const isUnusual = !/^image\/(png|jpeg|gif)$/.test(file.type);
  const mayShrink = !isGif && (isTooLarge || isUnusual || file.size > LARGE_BYTES || width > 2 * place);
  const made = mayShrink ? await copyOf(picture, file, Math.min(width, 2 * place, MAX_SIDE * width / Math.max(width, height)), isPng) : null;
  picture.close();
  const copy = made !== null && (made.size < file.size || isTooLarge || isUnusual) ? made : null;
  return { width, height, isTooLarge: isTooLarge || isUnusual, copy };
}

async function copyOf(picture, file, wide, isPng) {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(wide));
  canvas.height = Math.max(1, Math.round(picture.height * canvas.width / picture.width));
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const stem = file.name.replace(/\.[^.]*$/, '');
  if (isPng || isSeeThrough(context, canvas)) {
    const png = await blobOf(canvas, 'image/png');
    return Object.assign(new File([png], stem + '.png', { type: png.type }), { width: canvas.width, height: canvas.height });
  }
  let jpeg = null;
  for (const quality of QUALITIES) {
    jpeg = await blobOf(canvas, 'image/jpeg', quality);
    if (jpeg.size <= LARGE_BYTES) {
      break;
    }
  }
  return Object.assign(new File([jpeg], stem + '.jpg', { type: jpeg.type }), { width: canvas.width, height: canvas.height });
}

function isSeeThrough(context, { width, height }) {
  const { data } = context.getImageData(0, 0, width, height);
  for (let i = 3; i < data.length; i += 4) {
    if (data[i] < 255) {
      return true;
    }
  }
  return false;
}

function blobOf(canvas, type, quality) {
  return new Promise(done => canvas.toBlob(done, type, quality));
}
