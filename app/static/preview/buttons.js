// Buttons with a copy for Outlook: most clients show a link, and a conditional comment beside it contains the same button as a
// VML element or as another link. The preview shows only the first, so an edit of it is repeated in the copy.
// Buttons.java finds the same pairs.
import { attributeChange, change, shownText, startTag } from './inplace.js';

const RAW = /^(?:script|style|textarea|title|xmp)$/;
const TAG = /\{\{\{?[^{}]*\}\}\}?/y;
/** A comment, which may contain tags. */
const NOTE = /\{\{~?!--[^]*?--~?\}\}/y;
const MARKUP = /\{\{|<[a-zA-Z!?/]/g;
const BUTTON_COLOURS = /^(?:background(?:-color)?|border(?:-(?:top|right|bottom|left))?(?:-color)?)$/;

/** The tokens of a source, in order: {kind: start, end, text, value, section, conditionEnd, at, end, isHidden}. Comments are left out. */
function* tokens(source) {
  let at = 0;
  let limit = source.length;
  let isHidden = false;
  const lastNote = Math.max(source.lastIndexOf('--}}'), source.lastIndexOf('--~}}'));
  const until = (text, from) => {
    const found = source.indexOf(text, from);
    return found < 0 || found + text.length > limit ? limit : found + text.length;
  };
  while (at < source.length) {
    if (isHidden && at >= limit) {
      isHidden = false;
      limit = source.length;
      const end = until('-->', at);
      yield { kind: 'conditionEnd', at, end, isHidden };
      at = end;
      continue;
    }
    const pattern = at < lastNote && /^\{\{~?!--/.test(source.slice(at, at + 6)) ? NOTE : TAG;
    pattern.lastIndex = at;
    const tag = pattern.exec(source);
    if (tag) {
      const sign = /^\{\{~?([#^/!*]|else\b)?/.exec(tag[0])[1];
      if (sign !== '!' && sign !== '*') {
        yield { kind: sign ? 'section' : 'value', at, end: pattern.lastIndex, isHidden };
      }
      at = pattern.lastIndex;
    } else if (source.startsWith('<!--', at)) {
      const end = until('-->', at + 2);
      const opened = !isHidden && source.startsWith('[if ', at + 4) ? source.slice(at, end).indexOf(']>') : -1;
      const closed = opened < 0 ? -1 : source.slice(at, end).lastIndexOf('<![endif]');
      isHidden ||= opened >= 0 && closed >= opened + 2;
      if (opened >= 0 && closed >= opened + 2) {
        limit = at + closed;
        at += opened + 2;
      } else {
        at = end;
      }
    } else if (/^<[!?]|^<\/[^a-zA-Z]/.test(source.slice(at, at + 3))) {
      at = until('>', at);
    } else if (/^<\/[a-zA-Z]/.test(source.slice(at, at + 3))) {
      const end = until('>', at);
      yield { kind: 'end', name: /^[^\s/>]*/.exec(source.slice(at + 2, end))[0].toLowerCase(), at, end, isHidden };
      at = end;
    } else if (/^<[a-zA-Z]/.test(source.slice(at, at + 2))) {
      const start = startTag(source, at);
      if (!start || start.end > limit) {
        at = limit;
        continue;
      }
      yield { kind: 'start', name: start.name, tag: start, at, end: start.end, isHidden };
      at = RAW.test(start.name) ? endOfRaw(source, start, limit) : start.end;
    } else {
      MARKUP.lastIndex = at + 1;
      const end = Math.min(limit, MARKUP.exec(source)?.index ?? limit);
      yield { kind: 'text', at, end, isHidden };
      at = end;
    }
  }
}

function endOfRaw(source, { name, end }, limit) {
  const length = source.slice(end, limit).search(new RegExp(`</${name}[\\s/>]`, 'i'));
  return length < 0 ? limit : end + length;
}

/** Text for comparison: without what rendering and Handlebars ignore. */
const plain = text => text.replace(/[\s\u00a0]+/g, ' ').replace(/(\{\{[{~]?) | ([}~]?\}\})/g, '$1$2').trim();

const attributeOf = (tag, name) => tag.attributes.find(each => each.name === name);

function addressOf(source, { tag }) {
  const { from, to } = attributeOf(tag, 'href');
  return plain(shownText(source.slice(from, to), { isAttribute: true }));
}

/** A link or VML element, which `read` fills: its texts are {from, to}, with the tags between them. */
function partOf(token, cell) {
  return { ...token, contentEnd: token.end, texts: [], hasBreak: false, links: [], hasInk: false, isOpen: false, around: null, cell };
}

function addText(part, { at, end }) {
  const last = part.texts.at(-1);
  if (last?.to === at) {
    last.to = end;
  } else {
    part.texts.push({ from: at, to: end });
  }
}

/** A part's text as rendered. @param texts replaces the text of ranges, by their start */
function labelOf(source, part, replaced = new Map()) {
  return plain(part.texts.map(({ from, to }) => replaced.get(from) ?? shownText(source.slice(from, to), { collapses: true })).join(''));
}

/** The buttons of a source that have copies: pairs {shown, copy}. */
export function copiesOf(source) {
  const pairs = [];
  let run = []; // parts with nothing visible between them
  let shown = null;
  let copy = null;
  let cell = null;
  let copyCell = null;
  const endRun = () => {
    pairs.push(...paired(source, run));
    run = [];
    cell = null;
  };
  const endShown = at => {
    shown.contentEnd = at;
    (copy?.isOpen && copy.around !== shown ? copy.links : run).push(shown);
    shown = null;
  };
  const endCopy = at => {
    copy.contentEnd = at;
    if (copy.around) {
      pairs.push({ shown: copy.around, copy });
    } else if (!copy.isOpen) {
      run.push(copy);
    } else if (copy.links.length === 1 && !copy.hasInk) { // the link between <v:roundrect> and </v:roundrect> is its content
      endRun();
      pairs.push({ shown: copy.links[0], copy });
    } else {
      endRun();
    }
    copy = null;
  };
  for (const token of tokens(source)) {
    const { kind, isHidden, name, at } = token;
    const isInk = kind === 'value' || kind === 'text' && plain(shownText(source.slice(at, token.end))) !== '' || kind === 'start' && name === 'img';
    if (kind === 'conditionEnd') {
      if (copy && (copy.name === 'a' || copy.texts.length > 0)) {
        copy = null;
      } else if (copy) {
        copy.isOpen = true;
      }
      copyCell = null;
    } else if (isHidden) {
      copyCell = name !== 'td' ? copyCell : kind === 'start' ? token : null;
      const isLink = kind === 'start' && !copy && (name === 'a' || name.startsWith('v:')) && attributeOf(token.tag, 'href');
      if (isLink) {
        copy = { ...partOf(token, copyCell), around: shown };
        if (source[token.end - 2] === '/') {
          endCopy(token.end);
        }
      } else if (copy && kind === 'end' && name === copy.name) {
        endCopy(at);
      } else if (copy && isInk && kind !== 'start') {
        addText(copy, token);
      } else if (isInk && !copy || kind === 'section' && !copy) {
        endRun();
      }
    } else if (kind === 'start' && name === 'a') {
      if (shown) {
        endShown(at);
      }
      shown = attributeOf(token.tag, 'href') ? partOf(token, cell) : null;
    } else if (kind === 'end' && name === 'a' && shown) {
      endShown(at);
    } else if (shown && (isInk || kind === 'section' || kind === 'text')) {
      if (kind !== 'start') {
        addText(shown, token);
      }
    } else if (isInk || kind === 'section') {
      if (copy?.isOpen) {
        copy.hasInk = true;
      } else {
        endRun();
      }
    } else if (name === 'td' || name === 'th') {
      cell = kind === 'start' ? token : null;
    }
  }
  if (shown) {
    endShown(source.length);
  }
  endRun();
  return pairs;
}

/** Number of things that two parts share: link and label. */
function shared(source, copy, shown) {
  const label = labelOf(source, copy);
  return Number(addressOf(source, copy) === addressOf(source, shown)) + Number(label !== '' && label === labelOf(source, shown));
}

function paired(source, run) {
  const order = run.map(part => part.isHidden ? 'H' : 'V').join('');
  if (/^(?:(?:HV)+|(?:VH)+)$/.test(order)) {
    return run.flatMap((part, i) => i % 2 === 1 ? [] : [part.isHidden ? { copy: part, shown: run[i + 1] } : { copy: run[i + 1], shown: part }])
      .filter(({ copy, shown }) => copy.name !== 'a' || shared(source, copy, shown) > 0);
  }
  let last = null;
  const before = run.map(part => part.isHidden ? last : last = part);
  let next = null;
  const behind = run.map((_, i) => run[run.length - 1 - i]).map(part => part.isHidden ? next : next = part).reverse();
  return run.flatMap((copy, i) => {
    const near = copy.isHidden ? [behind[i], before[i]].filter(Boolean).map(shown => ({ copy, shown, points: shared(source, copy, shown) })) : [];
    const best = near.sort((one, other) => other.points - one.points)[0];
    return best?.points > 0 ? [{ copy, shown: best.shown }] : [];
  });
}

const lineAt = (source, at) => source.slice(0, at).split('\n').length;
const copiesAt = (source, isShown) => copiesOf(source).filter(({ shown }) => isShown(shown));

/**
 * Further changes that go with a button's link: {changes, lines, left}: the changes, the lines of the changed copies, and of those that
 * had another link, which stays.
 *
 * @param at place of the link's start tag
 */
export function linkChanges(source, at, value) {
  const found = copiesAt(source, shown => shown.at === at);
  const same = found.filter(({ copy, shown }) => addressOf(source, copy) === addressOf(source, shown));
  return {
    changes: same.map(({ copy }) => attributeChange(source, copy.at, 'href', value)).filter(Boolean),
    ...linesOf(source, found, same),
  };
}

/**
 * Further changes that go with a text of a button; see linkChanges.
 *
 * @param part {from, to, text}: the text's place and its new source
 */
export function labelChanges(source, { from, to }, text) {
  const found = copiesAt(source, shown => shown.texts.some(each => each.from <= from && to <= each.to))
    .filter(({ copy }) => copy.texts.length > 0);
  const same = found.filter(({ copy, shown }) => {
    const isSame = labelOf(source, copy) === labelOf(source, shown);
    return isSame && (copy.texts.length === 1 || textLike(source, copy, source.slice(from, to)));
  });
  return {
    changes: same.map(({ copy, shown }) => {
      const place = copy.texts.length === 1 ? copy.texts[0] : textLike(source, copy, source.slice(from, to));
      const whole = shown.texts.find(each => each.from <= from && to <= each.to);
      const now = shownText(source.slice(whole.from, from) + text + source.slice(to, whole.to), { collapses: true });
      const wanted = copy.texts.length === 1 ? labelOf(source, shown, new Map([[whole.from, now]])) : plain(now);
      const [, lead, core] = /^(\s*)([^]*?)\s*$/.exec(source.slice(place.from, place.to));
      const start = place.from + lead.length;
      const changed = change(core, wanted, { collapses: true }, source.slice(start + core.length, start + core.length + 2));
      return changed && { from: start + changed.from, to: start + changed.to, text: changed.text };
    }).filter(Boolean),
    ...linesOf(source, found, same),
  };
}

/** The one text of a part that renders like a source; undefined if there is none. */
function textLike(source, part, text) {
  const shown = plain(shownText(text));
  const found = part.texts.filter(({ from, to }) => plain(shownText(source.slice(from, to))) === shown);
  return found.length === 1 ? found[0] : undefined;
}

function linesOf(source, found, same) {
  const lines = list => list.map(({ copy }) => lineAt(source, copy.at));
  return { lines: lines(same), left: lines(found.filter(each => !same.includes(each))) };
}

/** Line of an Outlook-only text that renders like a source; 0 if there is none. */
export function lineForOutlook(source, text) {
  const shown = plain(shownText(text));
  if (shown !== '') {
    for (const { kind, isHidden, at, end } of tokens(source)) {
      if (isHidden && kind === 'text' && plain(shownText(source.slice(at, end))) === shown) {
        return lineAt(source, at + /^\s*/.exec(source.slice(at, end))[0].length);
      }
    }
  }
  return 0;
}

/** The places of a colour in a button and its copies: {kind: 'background' or 'text', colour, places}; without literal colours, none. */
export function coloursOf(source, at) {
  const shown = [...linksOf(source)].find(each => each.at === at);
  if (!shown) {
    return [];
  }
  const copies = copiesAt(source, each => each.at === at).map(({ copy }) => copy);
  const own = coloursIn(source, [shown]);
  const inner = tagsIn(source, shown.end, shown.contentEnd);
  const background = [...own, ...coloursIn(source, [...shown.cell ? [shown.cell] : [], ...inner])].find(({ kind }) => kind === 'background');
  const around = [...shown.cell ? [shown.cell] : [], shown, ...inner, ...copies.flatMap(copy => [...copy.cell ? [copy.cell] : [], copy, ...tagsIn(source, copy.end, copy.contentEnd)])];
  const text = [...coloursIn(source, inner), ...own].find(({ kind }) => kind === 'text');
  return !background ? [] : [background, ...text ? [text] : []].map(({ kind, colour }) => ({
    kind, colour, places: coloursIn(source, around).filter(each => each.kind === kind && each.colour === colour),
  }));
}

/** The visible links, with the cell that contains nothing else before them. */
function* linksOf(source) {
  let cell = null;
  let shown = null;
  for (const token of tokens(source)) {
    if (token.isHidden) {
      continue;
    }
    if (shown && (token.name === 'a')) {
      shown.contentEnd = token.at;
      yield shown;
      shown = null;
    }
    if (token.kind === 'start' && token.name === 'a') {
      shown = partOf(token, cell);
    } else if (token.name === 'td' || token.name === 'th') {
      cell = token.kind === 'start' ? token : null;
    } else if (token.kind === 'value' || token.kind === 'text' && source.slice(token.at, token.end).trim() !== '') {
      cell = null;
    }
  }
  if (shown) {
    shown.contentEnd = source.length;
    yield shown;
  }
}

/** Start tags in a range, hidden or not. */
function tagsIn(source, from, to) {
  const tags = [];
  for (let at = source.indexOf('<', from); at >= 0 && at < to; at = source.indexOf('<', at + 1)) {
    const tag = startTag(source, at);
    if (tag && tag.end <= to) {
      tags.push({ name: tag.name, tag });
    }
  }
  return tags;
}

/** Literal colours in start tags: {kind, colour: '#rrggbb', from, to}. */
function coloursIn(source, starts) {
  return starts.flatMap(({ name, tag }) => tag.attributes.flatMap(({ name: attribute, from, to }) => {
    const value = source.slice(from, to);
    const isText = attribute === 'color' && name === 'font';
    if (isText || /^(?:bgcolor|fillcolor|strokecolor)$/.test(attribute) || attribute === 'color' && name.startsWith('v:')) {
      return hexIn(value, from).map(each => ({ kind: isText ? 'text' : 'background', ...each }));
    }
    return attribute !== 'style' ? [] : [...value.matchAll(/(?:^|;)\s*([a-z-]+)\s*:([^;]*)/gi)].flatMap(found => {
      const kind = found[1].toLowerCase() === 'color' ? 'text' : BUTTON_COLOURS.test(found[1].toLowerCase()) ? 'background' : null;
      return kind === null ? [] : hexIn(found[2], from + found.index + found[0].length - found[2].length).map(each => ({ kind, ...each }));
    });
  }));
}

function hexIn(value, start) {
  return [...value.matchAll(/(?<!url\([^)]*)#(?:[0-9a-f]{6}|[0-9a-f]{3})(?![0-9a-f])/gi)].map(found => ({
    colour: (found[0].length === 7 ? found[0] : found[0].replace(/[0-9a-f]/gi, '$&$&')).toLowerCase(), from: start + found.index, to: start + found.index + found[0].length,
  }));
}
