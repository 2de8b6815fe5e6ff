// Finds the copies of buttons for Outlook: most clients show a link, and a conditional comment beside it contains the same button as a
// VML element or as another link. Buttons.java finds the same pairs.
import { shownText, startTag } from './inplace.js';

const RAW = /^(?:script|style|textarea|title|xmp)$/;
const TAG = /\{\{\{?[^{}]*\}\}\}?/y;
/** A comment, which may contain tags. */
const COMMENT = /\{\{~?!--[^]*?--~?\}\}/y;
const MARKUP = /\{\{|<[a-zA-Z!?/]/g;

/**
 * The tokens of a source, in order: {kind, name, tag, at, end, isHidden}; the kind is start, end, text, value, section or conditionEnd.
 * Comments are left out. `isHidden` is true in a comment that only Outlook reads.
 */
export function* tokens(source) {
  let at = 0;
  let limit = source.length; // of the conditional comment, or of the source
  let isHidden = false;
  const lastComment = Math.max(source.lastIndexOf('--}}'), source.lastIndexOf('--~}}'));
  while (at < source.length) {
    if (isHidden && at >= limit) {
      isHidden = false;
      limit = source.length;
      const end = endOf(source, '-->', at, limit);
      yield { kind: 'conditionEnd', at, end, isHidden };
      at = end;
      continue;
    }
    const head = source.slice(at, at + 6);
    const tag = tagAt(source, at, at < lastComment);
    if (tag !== null) {
      const sign = /^\{\{~?([#^/!*]|else\b)?/.exec(tag)[1];
      if (sign !== '!' && sign !== '*') {
        yield { kind: sign ? 'section' : 'value', at, end: at + tag.length, isHidden };
      }
      at += tag.length;
    } else if (head.startsWith('<!--')) {
      const end = endOf(source, '-->', at + 2, limit);
      const condition = isHidden ? null : conditionIn(source, at, end);
      if (condition) {
        isHidden = true;
        limit = condition.to;
      }
      at = condition ? condition.from : end;
    } else if (/^<[!?]|^<\/[^a-zA-Z]/.test(head)) {
      at = endOf(source, '>', at, limit);
    } else if (/^<\/[a-zA-Z]/.test(head)) {
      const end = endOf(source, '>', at, limit);
      yield { kind: 'end', name: /^[^\s/>]*/.exec(source.slice(at + 2, end))[0].toLowerCase(), at, end, isHidden };
      at = end;
    } else if (/^<[a-zA-Z]/.test(head)) {
      const start = startTag(source, at);
      if (!start || start.end > limit) {
        at = limit;
        continue;
      }
      yield { kind: 'start', name: start.name, tag: start, at, end: start.end, isHidden };
      at = RAW.test(start.name) ? endOfRaw(source, start, limit) : start.end;
    } else {
      const end = endOfText(source, at, limit);
      yield { kind: 'text', at, end, isHidden };
      at = end;
    }
  }
}

/** The position after a string, or the limit. */
function endOf(source, text, from, limit) {
  const found = source.indexOf(text, from);
  return found < 0 || found + text.length > limit ? limit : found + text.length;
}

/** The Handlebars tag at a place, or null. @param mayBeComment false if no comment that may contain tags ends after the place */
function tagAt(source, at, mayBeComment) {
  const pattern = mayBeComment && /^\{\{~?!--/.test(source.slice(at, at + 6)) ? COMMENT : TAG;
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? null;
}

/** The content of a conditional comment: {from, to}; null for another comment. */
function conditionIn(source, at, end) {
  if (!source.startsWith('[if ', at + 4)) {
    return null;
  }
  const comment = source.slice(at, end);
  const opened = comment.indexOf(']>');
  const closed = comment.lastIndexOf('<![endif]');
  return opened >= 0 && closed >= opened + 2 ? { from: at + opened + 2, to: at + closed } : null;
}

/** The place of the end tag of an element that contains only text; the limit if there is none. */
function endOfRaw(source, { name, end }, limit) {
  const length = source.slice(end, limit).search(new RegExp(`</${name}[\\s/>]`, 'i'));
  return length < 0 ? limit : end + length;
}

function endOfText(source, at, limit) {
  MARKUP.lastIndex = at + 1;
  return Math.min(limit, MARKUP.exec(source)?.index ?? limit);
}

/** Text for comparison: without what rendering and Handlebars ignore. */
export const plain = text => text.replace(/[\s\u00a0]+/g, ' ').replace(/(\{\{[{~]?) | ([}~]?\}\})/g, '$1$2').trim();

const attributeOf = (tag, name) => tag.attributes.find(each => each.name === name);

/** The address of a part's link, for comparison. */
export function addressOf(source, { tag }) {
  const { from, to } = attributeOf(tag, 'href');
  return plain(shownText(source.slice(from, to), { isAttribute: true }));
}

/**
 * A link, or its copy: its start token, and what is found later. `texts` are {from, to}, with the tags between them; `hasLabel`, `isOpen`,
 * `around`, `links` and `hasContent` are of copies: something visible is in `texts`, and the element is still open after its comment, in this
 * link, around these links and something else that is visible.
 *
 * @param cell the start token of the cell that contains no other text before it; null if there is none, or if it is not used
 */
export function partOf(token, cell = null) {
  return { ...token, contentEnd: token.end, texts: [], hasLabel: false, links: [], hasContent: false, isOpen: false, around: null, cell };
}

/** Adds a token to a part's texts; it continues the last text that ends where it begins. */
function addText(part, { at, end }) {
  const last = part.texts.at(-1);
  if (last?.to === at) {
    last.to = end;
  } else {
    part.texts.push({ from: at, to: end });
  }
}

/** A part's text as rendered; empty for a copy with only sections' tags. @param replaced the text of ranges that have another one, by their start */
export function labelOf(source, part, replaced = new Map()) {
  if (part.isHidden && !part.hasLabel) {
    return '';
  }
  return plain(part.texts.map(({ from, to }) => replaced.get(from) ?? shownText(source.slice(from, to), { collapses: true })).join(''));
}

/** The buttons of a source that have copies: pairs {shown, copy}. */
export function copiesOf(source) {
  const finder = new CopyFinder(source);
  for (const token of tokens(source)) {
    finder.read(token);
  }
  return finder.end();
}

/** Pairs links with their copies while it reads the tokens of a source in order; `end` returns the pairs. */
class CopyFinder {
  pairs = [];
  run = []; // parts with nothing visible between them
  shown = null;
  copy = null;
  copyCell = null; // the cell for Outlook in which nothing has been shown yet

  constructor(source) {
    this.source = source;
  }

  read(token) {
    if (token.kind === 'conditionEnd') {
      this.onConditionEnd();
    } else if (token.isHidden) {
      this.onHidden(token);
    } else {
      this.onVisible(token);
    }
  }

  end() {
    if (this.shown) {
      this.endShown(this.source.length);
    }
    this.endRun();
    return this.pairs;
  }

  /** An element that is still open continues around what follows, unless it is a link or has a label. */
  onConditionEnd() {
    if (this.copy && (this.copy.name === 'a' || this.copy.hasLabel)) {
      this.copy = null;
    } else if (this.copy) {
      this.copy.isOpen = true;
    }
    this.copyCell = null;
  }

  onHidden(token) {
    const { kind, name, at, end } = token;
    if (name === 'td') {
      this.copyCell = kind === 'start' ? token : null;
    }
    const isLink = kind === 'start' && (name === 'a' || name.startsWith('v:')) && attributeOf(token.tag, 'href') !== undefined;
    if (!this.copy && isLink) {
      this.copy = { ...partOf(token, this.copyCell), around: this.shown };
      if (this.source[end - 2] === '/') {
        this.endCopy(end);
      }
    } else if (!this.copy) {
      const isContent = this.isContent(token);
      this.copyCell = isContent ? null : this.copyCell;
      if (isContent || kind === 'section') {
        this.endRun();
      }
    } else if (kind === 'end' && name === this.copy.name) {
      this.endCopy(at);
    } else if (kind === 'section' || kind !== 'start' && this.isContent(token)) {
      this.copy.hasLabel ||= kind !== 'section';
      addText(this.copy, token);
    }
  }

  onVisible(token) {
    const { kind, name, at } = token;
    if (name === 'a') {
      if (this.shown) {
        this.endShown(at);
      }
      if (kind === 'start') {
        this.shown = attributeOf(token.tag, 'href') ? partOf(token) : null;
      }
    } else if (this.shown) {
      if (['section', 'text', 'value'].includes(kind)) {
        addText(this.shown, token);
      }
    } else if (this.isContent(token) || kind === 'section') {
      if (this.copy?.isOpen) {
        this.copy.hasContent = true;
      } else {
        this.endRun();
      }
    }
  }

  /** True for a token that renders as something. */
  isContent({ kind, name, at, end }) {
    return kind === 'value' || kind === 'start' && name === 'img' || kind === 'text' && plain(shownText(this.source.slice(at, end))) !== '';
  }

  endShown(at) {
    this.shown.contentEnd = at;
    (this.copy?.isOpen && this.copy.around !== this.shown ? this.copy.links : this.run).push(this.shown);
    this.shown = null;
  }

  endCopy(at) {
    const { copy } = this;
    copy.contentEnd = at;
    if (copy.around) {
      this.pairs.push({ shown: copy.around, copy });
    } else if (!copy.isOpen) {
      this.run.push(copy);
    } else {
      this.endRun();
      if (copy.links.length === 1 && !copy.hasContent) { // the link between <v:roundrect> and </v:roundrect> is its content
        this.pairs.push({ shown: copy.links[0], copy });
      }
    }
    this.copy = null;
    this.copyCell = null;
  }

  endRun() {
    this.pairs.push(...paired(this.source, this.run));
    this.run = [];
  }
}

/** Number of things that two parts share: link and label. */
function shared(source, copy, shown) {
  const label = labelOf(source, copy);
  return Number(addressOf(source, copy) === addressOf(source, shown)) + Number(label !== '' && label === labelOf(source, shown));
}

/** The pairs of a run: neighbours if links and copies alternate, otherwise each copy with the link near it that shares most with it. */
function paired(source, run) {
  const isAlternating = run.length % 2 === 0 && run.every((part, i) => i === 0 || part.isHidden !== run[i - 1].isHidden);
  if (isAlternating) {
    const pairs = [];
    for (let i = 0; i < run.length; i += 2) {
      const [one, other] = [run[i], run[i + 1]];
      pairs.push(one.isHidden ? { copy: one, shown: other } : { copy: other, shown: one });
    }
    return pairs.filter(({ copy, shown }) => copy.name !== 'a' || shared(source, copy, shown) > 0);
  }
  const before = nearestLinks(run);
  const behind = nearestLinks([...run].reverse()).reverse();
  return run.flatMap((copy, i) => {
    const near = copy.isHidden ? [behind[i], before[i]].filter(link => link !== null) : [];
    const best = near.map(shown => ({ shown, points: shared(source, copy, shown) })).sort((one, other) => other.points - one.points)[0];
    return best?.points > 0 ? [{ copy, shown: best.shown }] : [];
  });
}

/** For each part of a run, the last link up to it; null if there is none. */
function nearestLinks(run) {
  let link = null;
  return run.map(part => {
    link = part.isHidden ? link : part;
    return link;
  });
}
