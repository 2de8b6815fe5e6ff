// Edits of buttons that have a copy for Outlook. The preview shows only the button, so an edit of it is repeated in the copy.
import { addressOf, copiesOf, labelOf, partOf, plain, tokens } from './buttoncopies.js';
import { attributeChange, change, shownText, startTag } from './inplace.js';

const BUTTON_COLOURS = /^(?:background(?:-color)?|border(?:-(?:top|right|bottom|left))?(?:-color)?)$/;

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
 * Further changes that go with a change of a button's text; see linkChanges.
 *
 * @param change {from, to, text}: the text's place and its new source
 */
export function labelChanges(source, { from, to, text }) {
  const written = source.slice(from, to);
  const found = copiesAt(source, shown => textAround(shown, from, to) !== undefined).filter(({ copy }) => copy.hasLabel);
  const same = found.filter(({ copy, shown }) => labelOf(source, copy) === labelOf(source, shown) && textLike(source, copy, written));
  return {
    changes: same.map(({ copy, shown }) => {
      const whole = textAround(shown, from, to);
      const changed = shownText(source.slice(whole.from, from) + text + source.slice(to, whole.to), { collapses: true });
      const wanted = copy.texts.length === 1 ? labelOf(source, shown, new Map([[whole.from, changed]])) : plain(changed);
      return textChange(source, textLike(source, copy, written), wanted);
    }).filter(Boolean),
    ...linesOf(source, found, same),
  };
}

const textAround = (part, from, to) => part.texts.find(each => each.from <= from && to <= each.to);

/** The change that makes a text render as wanted, without the whitespace around it; null if none is needed. */
function textChange(source, place, wanted) {
  const [, lead, core] = /^(\s*)([^]*?)\s*$/.exec(source.slice(place.from, place.to));
  const start = place.from + lead.length;
  const behind = source.slice(start + core.length, start + core.length + 2);
  const changed = change(core, wanted, { collapses: true }, behind);
  return changed && { from: start + changed.from, to: start + changed.to, text: changed.text };
}

/** The only text of a part, or the only one of several that renders like a source; undefined if there is none. */
function textLike(source, part, text) {
  if (part.texts.length === 1) {
    return part.texts[0];
  }
  const shown = plain(shownText(text));
  const found = part.texts.filter(({ from, to }) => plain(shownText(source.slice(from, to))) === shown);
  return found.length === 1 ? found[0] : undefined;
}

/** The lines of the copies that change, and of the others: {lines, left}. */
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

/**
 * The colours of a button, background first, each with its places in the button and its copies: [{kind, colour, places}]. The kind is
 * 'background' or 'text', the colour #rrggbb. Empty without a literal background colour.
 *
 * @param at place of the link's start tag
 */
export function coloursOf(source, at) {
  const shown = [...linksOf(source)].find(each => each.at === at);
  if (!shown) {
    return [];
  }
  const copies = copiesAt(source, each => each.at === at).map(({ copy }) => copy);
  const own = coloursIn(source, [shown]);
  const inner = tagsIn(source, shown.end, shown.contentEnd);
  const cell = shown.cell ? [shown.cell] : [];
  const background = [...own, ...coloursIn(source, [...cell, ...inner])].find(({ kind }) => kind === 'background');
  if (!background) {
    return [];
  }
  const text = [...coloursIn(source, inner), ...own].find(({ kind }) => kind === 'text');
  const all = coloursIn(source, [shown, ...copies].flatMap(part => startsOf(source, part)));
  return [background, text].filter(Boolean).map(({ kind, colour }) => ({
    kind, colour, places: all.filter(each => each.kind === kind && each.colour === colour),
  }));
}

/** The start tags of a button: of its cell, its own, and those in it. */
function startsOf(source, part) {
  return [...part.cell ? [part.cell] : [], part, ...tagsIn(source, part.end, part.contentEnd)];
}

/** The links that all clients show, each with the cell that contains no other text before it. */
function* linksOf(source) {
  let cell = null;
  let shown = null;
  for (const token of tokens(source)) {
    if (token.isHidden) {
      continue;
    }
    if (shown && token.name === 'a') {
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
  return starts.flatMap(({ name: element, tag }) => tag.attributes.flatMap(({ name, from, to }) => {
    const value = source.slice(from, to);
    if (name === 'style') {
      return coloursInStyle(value, from);
    }
    const kind = kindOf(element, name);
    return kind === null ? [] : hexIn(value, from).map(each => ({ kind, ...each }));
  }));
}

/** The kind of colour in an attribute of an element: 'text', 'background' or null for none. */
function kindOf(element, attribute) {
  if (attribute === 'color' && element === 'font') {
    return 'text';
  }
  const isBackground = /^(?:bgcolor|fillcolor|strokecolor)$/.test(attribute) || attribute === 'color' && element.startsWith('v:');
  return isBackground ? 'background' : null;
}

/** Literal colours of a style that begins at a place. */
function coloursInStyle(style, start) {
  return [...style.matchAll(/(?:^|;)\s*([a-z-]+)\s*:([^;]*)/gi)].flatMap(({ 0: all, 1: property, 2: value, index }) => {
    const name = property.toLowerCase();
    const kind = name === 'color' ? 'text' : BUTTON_COLOURS.test(name) ? 'background' : null;
    return kind === null ? [] : hexIn(value, start + index + all.length - value.length).map(each => ({ kind, ...each }));
  });
}

/** Literal colours of a value that begins at a place: {colour: '#rrggbb', from, to}. */
function hexIn(value, start) {
  return [...value.matchAll(/(?<!url\([^)]*)#(?:[0-9a-f]{6}|[0-9a-f]{3})(?![0-9a-f])/gi)].map(({ 0: written, index }) => {
    const hex = written.length === 7 ? written : written.replace(/[0-9a-f]/gi, '$&$&');
    return { colour: hex.toLowerCase(), from: start + index, to: start + index + written.length };
  });
}
