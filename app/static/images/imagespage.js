// The page of images: upload, replace, delete, and the files that sent emails still use.
import { html, button, command, link, copyButton, count, pageHead, table, numberColumn, actionsColumn } from '../frame/dom.js';
import { get, remove } from '../frame/server.js';
import { attempt, confirmed, dialog, notify } from '../frame/dialog.js';
import { reload } from '../frame/router.js';
import { accountLine, mayAs } from '../frame/session.js';
import { size, relativeTime } from '../frame/time.js';
import { ACCEPTED, hasName, imageOf, mayBeImage, upload } from './upload.js';

const PAGE = '/images';

/** Headings of the columns that named images and earlier files share; made for each table, because a node can be in only one. */
const sharedColumns = () => ['Used by', numberColumn('Size'), numberColumn('Requests'), 'Added', actionsColumn()];
/** Days to which the server's number of requests refers. */
const REQUEST_DAYS = 30;
const path = name => '/data/images/' + encodeURIComponent(name);

export async function imagesPage() {
  const { images, room, isPrivate } = await get('/data/images');
  const named = images.filter(hasName);
  const former = images.filter(image => !hasName(image));
  const input = html`
    <input type="file" accept=${ACCEPTED} multiple class="visually-hidden" aria-label="Image files" tabindex="-1"
      @change=${() => addAll([...input.files])}>`;
  const content = html`
    <div class="images-page" @dragover=${onDragOver} @drop=${onDrop}>
      ${input}
      ${pageHead('Images', button('Upload images…', () => input.click(), { class: 'primary' }))}
      <p class="lead">
        Emails include an image by its name. Publishing freezes the image with the email: if you replace it, published emails keep the old one
        until you publish them again. Drop or paste image files here.
      </p>
      ${isPrivate && html`
        <p class="notice">Recipients cannot load images from this server yet. An administrator sets their address with
          ${command('--images-url')}.</p>`}
      ${named.length === 0
        ? html`
          <section class="empty">
            <h2>No images yet</h2>
            <p>Upload a logo, for example, and add <code>{{&gt; images/logo.png}}</code> as the source of an image in an email.</p>
          </section>`
        : table('list images', ['Image', 'Name', ...sharedColumns()], named.map(row))}
      ${former.length > 0 && html`
        <details class="former">
          <summary>${count(former.length, 'earlier file')}, kept for published and sent emails</summary>
          <p class="hint">
            Emails that were sent load these files. An owner can delete a file that no image and no version uses; sent emails then no longer show it.
          </p>
          ${table('list images', ['Image', 'Last name', ...sharedColumns()], former.map(formerRow))}
        </details>`}
      <p class="hint">${size(room.bytes)} of ${size(room.limit)} used by ${count(room.files, 'file')}.</p>
    </div>`;
  const onPaste = event => {
    const pasted = imageOf(event.clipboardData);
    if (pasted && content.isConnected && !event.target.closest('dialog')) {
      event.preventDefault();
      addAll([pasted]);
    }
  };
  document.addEventListener('paste', onPaste);
  return { title: 'Images', content, onLeave: () => document.removeEventListener('paste', onPaste) };
}

function onDragOver(event) {
  if (mayBeImage(event.dataTransfer)) {
    event.preventDefault();
  }
}

function onDrop(event) {
  if (mayBeImage(event.dataTransfer) || imageOf(event.dataTransfer)) {
    event.preventDefault();
    addAll([...event.dataTransfer.files]);
  }
}

/** Adds files one after the other, because each may ask whether to use a smaller copy. Files that are no images are reported. */
async function addAll(files) {
  const added = [];
  for (const file of files) {
    const image = await attempt(() => upload(file));
    if (image) {
      added.push(image.name);
    }
  }
  if (added.length > 0) {
    notify(added.length === 1 ? `${added[0]} added.` : `${added.length} images added.`);
    await reload(PAGE);
  }
}

function picture({ path: address, name, lastName }) {
  return html`
    <a href=${address} target="_blank" rel="noopener" class="thumb"><img src=${address} alt=${name ?? lastName} loading="lazy"></a>`;
}

function row(image) {
  const { name, drafts, live } = image;
  const uses = count(drafts, 'draft or block', 'drafts and blocks') + (live > 0 ? ', ' + count(live, 'live email') : '');
  return html`
    <tr>
      <td>${picture(image)}</td>
      <th scope="row" class="mono">${name}</th>
      <td data-label="Used by">
        ${drafts === 0 && live === 0 ? 'nothing'
          : button(uses, () => attempt(() => showUses(name)), { class: 'small quiet', 'aria-label': `${name} is used in ${uses}` })}
      </td>
      ${sizeAndUse(image)}
      <td class="acts">
        ${copyButton(`{{> images/${name}}}`, 'the tag for ' + name, { class: 'small quiet' })}
        ${button('Replace…', () => replace(image), { class: 'small quiet', 'aria-label': 'Replace ' + name })}
        ${mayAs('owner') && button('Delete…', () => attempt(() => deleteImage(image)), { class: 'small quiet', 'aria-label': 'Delete ' + name })}
      </td>
    </tr>`;
}

function formerRow(image) {
  const { lastName, versions } = image;
  return html`
    <tr>
      <td>${picture(image)}</td>
      <th scope="row" class="mono">${lastName}</th>
      <td data-label="Used by">${versions === 0 ? 'no version' : count(versions, 'version')}</td>
      ${sizeAndUse(image)}
      <td class="acts">
        ${mayAs('owner') && versions === 0 && button('Delete permanently…', () => attempt(() => deleteFile(image)),
          { class: 'small quiet', 'aria-label': `Delete permanently the earlier file of ${lastName}` })}
      </td>
    </tr>`;
}

/** The cells that named images and earlier files share. */
function sizeAndUse({ width, height, bytes, requests, today, addedAt }) {
  return html`
    <td class="number">${width} × ${height}<br><span class="hint">${size(bytes)}</span></td>
    <td class="number" data-label="Requests">${requestsOf(requests, today)}</td>
    <td class="time">${relativeTime(addedAt)}</td>`;
}

/**
 * The requests for an image, per month or per day.
 *
 * @param requests number in the last {@link REQUEST_DAYS} days; undefined if another account has the file too
 * @param today    number since the day began, in UTC
 */
function requestsOf(requests, today) {
  if (requests === undefined) {
    return html`<span title="Another account has the same file, so the requests may be for its emails">not shown</span>`;
  }
  if (requests === 0) {
    return 'none';
  }
  const often = requests < REQUEST_DAYS ? `${requests} in ${REQUEST_DAYS} days`
    : Math.round(requests / REQUEST_DAYS).toLocaleString('en') + ' a day';
  return html`${often}<br><span class="hint">${count(today, 'request')} today</span>`;
}

/** Shows the drafts and blocks that include an image, and how many live emails have an older one. */
async function showUses(name) {
  const { templates, blocks, stale } = await get(path(name));
  const list = (title, names, folder) => names.length > 0 && html`
    <h3>${title}</h3>
    <ul class="plain">${names.map(each => html`<li>${link(folder + each, each, { class: 'mono' })}</li>`)}</ul>`;
  await dialog('Uses of ' + name, () => html`
    ${list('Templates', templates, '/templates/')}
    ${list('Shared blocks', blocks, '/blocks/')}
    ${stale.length > 0 && html`
      <p>${count(stale.length, 'live email has', 'live emails have')} an older image. ${link('/stale', 'Review and publish')}</p>`}
    ${templates.length + blocks.length === 0 && html`<p>No draft includes this image. Published versions that use it keep it.</p>`}`);
}

/** Asks for a file and replaces that of the image; does nothing if the user cancels. */
async function replace(image) {
  const input = html`<input type="file" accept=${ACCEPTED}>`;
  const file = await new Promise(done => {
    input.addEventListener('change', () => done(input.files[0]));
    input.addEventListener('cancel', () => done(null));
    input.click();
  });
  if (file && await attempt(() => upload(file, { target: image }))) {
    notify(image.name + ' replaced. Published emails keep the old image until you publish them again.');
    await reload(PAGE);
  }
}

/** Deletes an image after confirmation; its file stays as an earlier file. */
async function deleteImage({ name, live }) {
  const text = live > 0 ? 'Published and sent emails keep their image: its file stays.' : 'Its file stays, because sent emails may use it.';
  if (await confirmed(`Delete image ${name}?`, [accountLine(), text], 'Delete', { danger: true })) {
    await remove(path(name));
    notify(name + ' deleted.');
    await reload(PAGE);
  }
}

/** Deletes an earlier file permanently, after confirmation. */
async function deleteFile({ lastName, path: address, requests }) {
  const use = requests > 0 ? `It was requested ${count(requests, 'time')} in the last ${REQUEST_DAYS} days. ` : '';
  if (await confirmed(`Delete the earlier file of ${lastName} permanently?`,
    [accountLine(), use + 'Emails that were sent will no longer show it.', 'This cannot be undone.'], 'Delete permanently', { danger: true })) {
    await remove('/data/image-files/' + address.slice('/images/'.length));
    notify('The file is deleted.');
    await reload(PAGE);
  }
}
