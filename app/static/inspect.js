// Working in the preview: a click leads to the source, the cursor in the editor shows in the preview, and texts, addresses and
// alt texts are edited where they are seen. Each edit changes those characters of the source alone, and Undo brings them back.
//
// preview-frame.js in the frame tells of clicks and texts. The mail around it may be hostile, so its messages are only taken
// from our own frame, and each place that they name is looked up in the source.
import { html, button, link, debounce } from './dom.js';
import { notify } from './dialog.js';
import { attributeChange, change, lineForOutlook, moved, shownText, startTag, unitsOf, withoutUnseen } from './inplace.js';

const CURSOR_DELAY_MILLIS = 60;
const HINT = 'Click a text, link or picture to find it in the html. Double-click a text of the draft to change it here.';
/** The first tag in an attribute that is filled in. */
const VALUE = /\{\{[{&~\s]*[^\s{}~#^/!>&][^{}]*\}\}/;
const FIELDS = {
  img: [['src', 'Image address'], ['alt', 'Alt text']],
  a: [['href', 'Link address']],
  area: [['href', 'Link address'], ['alt', 'Alt text']],
};

/**
 * @param code         the editor; without one, the preview is only shown
 * @param onSave       for Ctrl+S in the preview
 * @param goToVariable leads to the test data of the first of some names that has any
 * @param onText       runs before the editor gets the focus
 */
export function inspector({ code, onSave, goToVariable, onText }) {
  const node = html`<div class="inspected" role="group" aria-label="Chosen in the preview" @keydown=${onKey}></div>`;
  let frame = null;
  /** The source that the preview was made from. */
  let source = '';
  /** The frames that are shown or coming, with their sources: an older one is shown until a newer one is loaded. */
  let frames = [];
  let isReady = false;
  /** The place of the text that is to be edited once the frame is ready. */
  let awaited = null;
  let isEditing = false;
  let onFree = null;
  let chosen = null;
  let scrolled = { x: 0, y: 0 };
  let isForced = false;
  let isFollowing = false;

  hide();
  code?.onCursor(debounce(CURSOR_DELAY_MILLIS, showCursor));
  code?.onKey({ 'Alt-Enter': chooseAtCursor });

  /** Takes another frame: that of a newer source. */
  function attach(next, nextSource) {
    frames = [...frames.filter(each => each.frame.isConnected), { frame: next, source: nextSource }];
    frame = next;
    source = nextSource;
    isEditing = false;
    isReady = false;
  }

  function send(message) {
    frame?.contentWindow?.postMessage(message, '*');
  }

  function begin() {
    isReady = true;
    send({ kind: 'begin', ...scrolled, forcedDark: isForced });
    showCursor();
    const place = awaited;
    awaited = null;
    if (place) {
      editText(place);
    }
  }

  /** Shows in the preview where the cursor is. */
  function showCursor() {
    if (code?.hasFocus() || isFollowing) {
      const at = moved(code.text(), source, code.cursor());
      send(at === null ? { kind: 'hide' } : { kind: 'show', at });
    }
  }

  function onMessage({ source: from, origin, data }) {
    if (!from || origin !== 'null' || typeof data?.kind !== 'string') {
      return;
    }
    const sender = frames.find(each => each.frame.contentWindow === from);
    if (!sender) {
      return;
    }
    if (sender.frame === frame && data.kind === 'ready') {
      begin();
    } else if (sender.frame === frame && data.kind === 'scroll') {
      scrolled = { x: Number(data.x) || 0, y: Number(data.y) || 0 };
    } else if (data.kind === 'ask' && (!code || sender.frame !== frame)) {
      from.postMessage({ kind: 'refuse' }, '*');
    } else if (code) {
      onWish(data, sender);
    }
  }

  function onWish(data, sender) {
    if (data.kind === 'click') {
      onClick(data, sender.source);
    } else if (data.kind === 'ask') {
      onAsk(data);
    } else if (data.kind === 'edited' && sender.frame === frame) {
      onEdited(data);
    } else if (data.kind === 'save') {
      onSave();
    } else if (data.kind === 'undo') {
      code.undo();
    } else if (data.kind === 'redo') {
      code.redo();
    }
  }

  /** The place that a mark names, in the present text: {kind, from, to}, {block}, or null. @param made text that it is of */
  function placeOf(mark, made = source) {
    const block = /^b ([A-Za-z0-9][A-Za-z0-9_-]{0,63})$/.exec(mark ?? '');
    if (block) {
      return { block: block[1] };
    }
    const [, kind, begins, ends] = /^([etv]) (\d{1,9}) (\d{1,9})$/.exec(mark ?? '') ?? [];
    const from = kind && moved(made, code.text(), Number(begins));
    const end = kind && moved(made, code.text(), Number(ends) - 1);
    return !kind || from === null || end === null || end < from ? null : { kind, from, to: end + 1 };
  }

  function onClick({ source: mark, element, link: linkMark, isText }, made) {
    const place = placeOf(mark, made);
    if (place?.from !== undefined) {
      code.select(place.from, place.to);
    }
    show(place, [placeOf(element, made), placeOf(linkMark, made)], isText === true);
  }

  /** Shows in the preview the text or element that the cursor is in, with a bar to change it. */
  function chooseAtCursor() {
    isFollowing = true;
    showCursor();
    isFollowing = false;
    const text = code.text();
    const at = code.cursor();
    const before = text.lastIndexOf('<', at);
    const tag = before < 0 ? null : startTag(text, before);
    const inText = tag && at >= tag.end;
    const rest = inText ? /^[^<]*/.exec(text.slice(tag.end))[0] : '';
    const begin = inText ? tag.end + rest.length - rest.trimStart().length : 0;
    const element = tag && { kind: 'e', from: before, to: tag.end };
    const isText = inText && rest.trim() !== '';
    show(isText ? { kind: 't', from: begin, to: tag.end + rest.length } : element, [element], isText);
    (node.querySelector('input') ?? node.querySelector('button'))?.focus();
  }

  function show(place, elements, isText) {
    const text = code.text();
    const tags = elements.filter(each => each?.kind === 'e').map(each => ({ at: each.from, tag: startTag(text, each.from) }))
      .filter((each, i, all) => each.tag && all.findIndex(other => other.at === each.at) === i);
    chosen?.forEach(tracked => tracked.clear());
    chosen = [];
    const fields = tags.flatMap(({ at, tag }) => (FIELDS[tag.name] ?? [])
      .map(([name, label]) => attributeField(at, tag, name, label)));
    if (place === null && fields.length === 0) {
      hide();
      return;
    }
    node.replaceChildren(html`
      <span class="chosen-name">${nameOf(place, tags[0]?.tag, text, isText)}</span>
      ${place?.kind === 't' && isText && canEdit(place) && button('Edit text', () => editText(place), { class: 'small' })}
      ${place?.kind === 'v' && button('Test data', () => goToVariable(namesAt(text, place)), { class: 'small' })}
      ${place?.block && link('/blocks/' + place.block, 'Open the block')}
      ${fields}
      ${place?.from !== undefined && button('Show in the editor', () => goTo(place), { class: 'small quiet' })}
      ${button('✕', hide, { class: 'small quiet', 'aria-label': 'Close' })}`);
    node.scrollIntoView({ block: 'nearest' });
  }

  function nameOf(place, tag, text, isText) {
    return place?.block ? ['From the shared block ', html`<code>${place.block}</code>`]
      : place?.kind === 'v' ? ['Filled in: ', html`<code>${text.slice(place.from, place.to).slice(0, 80)}</code>`]
        : isText && place?.kind === 't' ? 'Text' : tag?.name === 'img' ? 'Image' : tag?.name === 'a' ? 'Link'
          : ['Element ', html`<code>${tag?.name ?? '?'}</code>`];
  }

  function attributeField(at, tag, name, label) {
    const text = code.text();
    const found = tag.attributes.find(each => each.name === name);
    const value = found ? shownText(text.slice(found.from, found.to), { isAttribute: true }) : '';
    const tracked = code.track(at, tag.end);
    chosen.push(tracked);
    const input = html`
      <input type="text" value=${value} autocomplete="off" spellcheck=${name === 'alt' ? 'true' : 'false'}
        placeholder=${name === 'alt' ? 'what the image shows' : 'https://'} @change=${apply}>`;
    function apply() {
      const place = tracked.find();
      const changed = place && attributeChange(code.text(), place.from, name, input.value);
      if (changed) {
        code.edit(changed.from, changed.to, changed.text);
      }
    }
    const asked = found && VALUE.exec(text.slice(found.from, found.to));
    return [html`<label class="chosen-field"><span>${label}</span>${input}</label>`,
      asked && button('Test data', () => {
        const from = found.from + asked.index;
        goToVariable(namesAt(text, { from, to: from + asked[0].length }));
      }, { class: 'small', 'aria-label': 'Test data of the ' + label.toLowerCase() })];
  }

  function canEdit({ from, to }) {
    return !code.text().slice(from, to).includes('{{');
  }

  function editText(place) {
    const at = moved(code.text(), source, place.from);
    if (!isReady) {
      awaited = place;
    } else if (at !== null) {
      frame?.focus();
      send({ kind: 'editAt', at });
    }
  }

  /** The text at a place of the source that can be edited, if it is the one that is shown: {from, to, how}. */
  function textAt(mark, shown, keeps) {
    const place = placeOf(mark);
    if (place?.kind !== 't') {
      return null;
    }
    const how = { collapses: !keeps };
    const units = unitsOf(code.text().slice(place.from, place.to), how);
    while (units.length > 0 && units[units.length - 1].text.trim() === '') {
      units.pop();
    }
    const to = units.length === 0 ? place.from : place.from + units[units.length - 1].to;
    return units.map(unit => unit.text).join('') === shown ? { from: place.from, to, how } : null;
  }

  function onAsk({ source: mark, text, keeps }) {
    const found = textAt(mark, text, keeps === true);
    isEditing = found !== null;
    send({ kind: found ? 'edit' : 'refuse' });
    if (found) {
      frame.focus();
    } else {
      const place = placeOf(mark);
      show(place, [], true);
    }
  }

  function onEdited({ source: mark, text, now, keeps }) {
    isEditing = false;
    const found = typeof now === 'string' && typeof text === 'string' ? textAt(mark, text, keeps === true) : null;
    const whole = code.text();
    const wanted = keeps === true ? now : found && withoutUnseen(now, whole.slice(0, found.from), whole.slice(found.to));
    const changed = found && change(whole.slice(found.from, found.to), wanted, found.how, whole.slice(found.to, found.to + 2));
    if (changed) {
      code.edit(found.from + changed.from, found.from + changed.to, changed.text);
      const line = lineForOutlook(code.text(), whole.slice(found.from, found.to).trim());
      if (line > 0) {
        notify(`The same text stands in a part for Outlook, too, which no preview shows: line ${line}.`);
      }
    }
    onFree?.();
    onFree = null;
  }

  function goTo({ from, to }) {
    onText();
    code.select(from, to);
    code.focus();
  }

  function hide() {
    chosen?.forEach(tracked => tracked.clear());
    chosen = null;
    node.hidden = !code;
    node.replaceChildren(html`<span class="hint">${HINT}</span>`);
  }

  function onKey(event) {
    if (event.key === 'Escape') {
      hide();
      code.focus();
    }
  }

  addEventListener('message', onMessage);

  return {
    node,
    attach,
    chooseAtCursor,
    /** Runs once no text is being edited in the preview: a new frame would take it away. */
    whenFree(run) {
      if (isEditing) {
        onFree = run;
      } else {
        run();
      }
    },
    setForcedDark(forced) {
      isForced = forced;
      send({ kind: 'begin', forcedDark: forced });
    },
    close: () => removeEventListener('message', onMessage),
  };
}

/** The name that a tag asks for, and those of the sections around it, the inner ones first. */
function namesAt(text, { from, to }) {
  const sections = [];
  for (const [, sign, words] of text.slice(0, from).matchAll(/\{\{~?\s*([#^/])\s*([^{}]*?)\s*~?\}\}/g)) {
    if (sign === '/') {
      sections.shift();
    } else {
      sections.unshift(words.replace(/^(?:each|if|unless|with)\s+/, '').split(/[\s|]/)[0]);
    }
  }
  const own = /^\{\{[{&~\s]*([^\s{}~|]*)/.exec(text.slice(from, to))?.[1] ?? '';
  return [own, ...sections].map(name => name.replace(/^(?:\.\.\/|@root[./]|this[./])+/, '').replaceAll('/', '.'));
}
