// A smaller copy of an image, made by the browser.

/** Larger files are worth a smaller copy; much larger ones are slow on phones. */
const LARGE_BYTES = 200 << 10;
/** Limits of the server. */
const MAX_BYTES = 2 << 20;
const MAX_SIDE = 4000;
/** Width of an email's content in pixels; images are shown at most twice as sharp. */
export const PLACE = 600;
/** Qualities of JPEG to try, from the best. */
const QUALITIES = [0.82, 0.7, 0.55];

/**
 * Looks at a chosen file.
 *
 * @param options.place width at which the image is shown, in pixels
 * @param options.isPng true if the copy has to be a PNG, because it replaces one
 * @return {width, height, isTooLarge, copy}. The size is null if the browser cannot read the file; `isTooLarge` is also true for
 *         a format that emails should not use; `copy` is a file to use instead, with its width and height, or null if none is
 *         needed or can be made.
 */
export async function examine(file, { place = PLACE, isPng = false }) {
  const picture = await createImageBitmap(file).catch(() => null);
  if (picture === null) {
    return { width: null, height: null, isTooLarge: file.size > MAX_BYTES, copy: null };
  }
  const { width, height } = picture;
  const isUnusual = !/^image\/(png|jpeg|gif)$/.test(file.type);
  const isTooLarge = file.size > MAX_BYTES || Math.max(width, height) > MAX_SIDE || isUnusual;
  const isWorthIt = isTooLarge || file.size > LARGE_BYTES || width > 2 * place;
  const mayMove = file.type === 'image/gif'; // the copy of an animation would be its first picture
  const copy = isWorthIt && !mayMove ? await copyOf(picture, file.name, { place, isPng }) : null;
  picture.close();
  return { width, height, isTooLarge, copy: copy !== null && (copy.size < file.size || isTooLarge) ? copy : null };
}

/**
 * A copy that is at most twice as wide as its place, as a PNG if it has to be one or is transparent, and otherwise as a JPEG. The file
 * also has its width and height. Null if the browser cannot make it.
 */
async function copyOf(picture, name, { place, isPng }) {
  const { width, height } = picture;
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(Math.min(width, 2 * place, MAX_SIDE * width / Math.max(width, height))));
  canvas.height = Math.max(1, Math.round(height * canvas.width / width));
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const usesPng = isPng || isTransparent(context, canvas);
  const blob = usesPng ? await blobOf(canvas, 'image/png') : await smallJpeg(canvas);
  if (blob === null) {
    return null;
  }
  const file = new File([blob], name.replace(/\.[^.]*$/, '') + (usesPng ? '.png' : '.jpg'), { type: blob.type });
  return Object.assign(file, { width: canvas.width, height: canvas.height });
}

/** The JPEG of the best quality that is not large, or of the lowest; null if the browser cannot make it. */
async function smallJpeg(canvas) {
  let jpeg = null;
  for (const quality of QUALITIES) {
    jpeg = await blobOf(canvas, 'image/jpeg', quality);
    if (jpeg === null || jpeg.size <= LARGE_BYTES) {
      break;
    }
  }
  return jpeg;
}

function isTransparent(context, { width, height }) {
  const { data } = context.getImageData(0, 0, width, height);
  for (let i = 3; i < data.length; i += 4) { // each pixel's opacity follows its red, green and blue
    if (data[i] < 255) {
      return true;
    }
  }
  return false;
}

/** The canvas as a file; null if the browser cannot encode it. @param quality of a JPEG */
function blobOf(canvas, type, quality) {
  return new Promise(done => canvas.toBlob(done, type, quality));
}
