// The HTML of new pieces. It is read by every mail client: tables with inline styles, no VML, columns that stack without media queries.
// A new piece looks like the first one of its kind in the email.
import { attributeText, declarations, firstTag } from './sourcetext.js';
import { startTag } from '../preview/inplace.js';

const FONT = "16px/24px Arial, sans-serif";
const COLOUR = '#1c2430';
const BUTTON = '#2455c3';
const RULE = '#e1e4ea';
/** Pixels between an image and the text beside it. */
const IMAGE_GAP = 16;
/** Width of an email without its padding, in pixels. */
const WIDTH = 536;
/** Maximum length of a button whose HTML is repeated for the next one. */
const MAX_BUTTON = 4_000;

/** The name of each kind, as shown to authors. */
export const NAMES = {
  heading: 'Heading', text: 'Text', button: 'Button', image: 'Image', divider: 'Divider', space: 'Space', columns: 'Columns', imageText: 'Image with text',
  block: 'Shared block', condition: 'Condition', list: 'List', section: 'Section', code: 'HTML',
};

/** Class and style of the first piece of each kind: what {@link htmlOf} needs to write more of them. */
export function lookOf(source, pieces) {
  const look = {};
  for (const piece of pieces.piece) {
    if (piece.kind === 'heading' && !look.heading) {
      look.heading = elementLook(source, piece);
    } else if (piece.kind === 'text' && (!look.text || look.text.isGuess)) {
      const found = elementLook(source, piece);
      if (found?.name === 'p') {
        look.text = found;
      } else if (found) { // until there is a paragraph
        look.text ??= textLook(found);
      }
    } else if (piece.kind === 'button' && !look.button) {
      look.button = buttonLook(source, pieces, piece);
    } else if (piece.kind === 'divider' && !look.divider) {
      look.divider = { color: valueOf(source, piece, 'color') };
    }
  }
  return look;
}

/** The first value of a property as written; empty if the piece has none. */
export function valueOf(source, piece, property) {
  const range = piece.values?.[property]?.[0];
  return range ? source.slice(range[0], range[1]) : '';
}

/** Name, class and style of a piece's main element; null if it has none. */
function elementLook(source, piece) {
  const tag = piece.open ? startTag(source, piece.open[0]) : null;
  return tag && { name: tag.name, class: attributeText(source, tag, 'class'), style: styleText(source, tag) };
}

/** The style of a start tag for an attribute in double quotes; empty if it has none. */
function styleText(source, tag) {
  return attributeText(source, tag, 'style').replaceAll('"', "'");
}

/** The look of a paragraph with the font, colour, line height and alignment of a cell's text, but not its padding. */
function textLook({ style }) {
  const copied = declarations(style).filter(({ name }) => /^(?:color|font|font-.*|line-height|text-align)$/.test(name));
  return { name: 'p', class: '', style: ['margin: 0 0 16px', ...copied.map(({ name, value }) => `${name}: ${value}`)].join('; ') + ';', isGuess: true };
}

/**
 * The look of a button: {html, from, link, label}, its HTML with the places of its link and label, if its colours come from a class; otherwise
 * {background, color, padding, radius, class, font}, its values.
 */
function buttonLook(source, pieces, piece) {
  const html = source.slice(piece.from, piece.to);
  const { link, label } = piece.values ?? {};
  // A look from a class needs the same elements around the link. The class may be that of a shared block.
  const isFromClass = Boolean(piece.class?.background) || valueOf(source, piece, 'background') === '';
  const isRepeatable = pieces.list[piece.in].form === 'blocks' && html.length < MAX_BUTTON && link && label;
  if (isFromClass && isRepeatable) {
    return { html, from: piece.from, link, label };
  }
  const tag = startTag(source, piece.open[0]);
  const font = declarations(styleText(source, tag)).filter(({ name }) => /^(?:font|font-.*|line-height|letter-spacing|text-transform)$/.test(name));
  const [background, color, padding, radius] = ['background', 'color', 'padding', 'radius'].map(name => valueOf(source, piece, name));
  return {
    background, color, padding, radius, class: attributeText(source, tag, 'class'),
    font: font.map(({ name, value }) => `${name}: ${value}`).join('; '),
  };
}

const classOf = name => name ? ` class="${name}"` : '';
const table = 'role="presentation" cellpadding="0" cellspacing="0" border="0"';

const lines = (...all) => all.join('\n');

/** Lines of HTML in a cell as wide as what is around it. */
function boxed(style, inner) {
  return lines(
    `<table ${table} width="100%">`,
    '  <tr>',
    `    <td style="${style}">`,
    ...inner.map(line => '      ' + line),
    '    </td>',
    '  </tr>',
    '</table>');
}

/**
 * The HTML of a new piece, in lines that end with \n.
 *
 * @param look    from {@link lookOf}
 * @param kind    a key of NAMES, but for section and code
 * @param options {label, href, src, alt, width, fileWidth, name}: widths in pixels, of the place and of an image's file
 */
export function htmlOf(kind, look = {}, options = {}) {
  const width = options.width ?? WIDTH;
  const half = Math.floor(width / 2);
  switch (kind) {
    case 'heading': {
      const { name = 'h2', style = `margin: 0 0 14px; font: bold 24px/30px Arial, sans-serif; color: ${COLOUR};`, class: css } = look.heading ?? {};
      return `<${name}${classOf(css)}${style && ` style="${style}"`}>${options.label ?? 'New heading'}</${name}>`;
    }
    case 'text':
      return paragraph(look, options.label ?? 'New text');
    case 'button':
      return buttonHtml(look.button, options);
    case 'image':
      return image(options, Math.min(width, options.fileWidth ?? width));
    case 'divider':
      return boxed('padding: 8px 0 24px;', [
        `<table ${table} width="100%">`,
        `  <tr><td style="border-top: 1px solid ${look.divider?.color || RULE}; font-size: 1px; line-height: 1px;">&nbsp;</td></tr>`,
        '</table>']);
    case 'space':
      return `<table ${table} width="100%">\n  <tr><td height="24" style="height: 24px; font-size: 1px; line-height: 24px;">&nbsp;</td></tr>\n</table>`;
    case 'columns':
      return columns(half, paragraph(look, 'Left column'), paragraph(look, 'Right column'));
    case 'imageText':
      return columns(half, image(options, Math.min(half - IMAGE_GAP, options.fileWidth ?? half)), paragraph(look, options.label ?? 'New text'));
    case 'block':
      return `{{> ${options.name}}}`;
    case 'condition':
      return `{{#if ${options.name}}}\n  ${paragraph(look, options.label ?? 'New text')}\n{{/if}}`;
    default: // list
      return `{{#each ${options.name}}}\n  ${paragraph(look, options.label ?? '{{this}}')}\n{{/each}}`;
  }
}

function paragraph(look, label) {
  const { style = `margin: 0 0 16px; font: ${FONT}; color: ${COLOUR};`, class: css } = look.text ?? {};
  return `<p${classOf(css)}${style && ` style="${style}"`}>${label}</p>`;
}

function image({ src = 'https://', alt = '' }, width) {
  return `<img src="${src}" width="${width}" alt="${alt}" style="display: block; width: 100%; max-width: ${width}px; height: auto; border: 0;">`;
}

/** The HTML of a button. @param look from buttonLook, with some of its values, or undefined */
function buttonHtml(look, { label = 'Button', href = 'https://' }) {
  if (look?.html) {
    return repeatedButton(look, label, href);
  }
  const background = look?.background || BUTTON;
  const padding = look?.padding || '11px 26px';
  const radius = look?.radius || '8px';
  const style = `display: inline-block; padding: ${padding}; mso-padding-alt: 0; border-radius: ${radius}; background-color: ${background}; `
    + `${look?.font || 'font: bold 16px/24px Arial, sans-serif'}; color: ${look?.color || '#ffffff'}; text-decoration: none;`;
  return lines(
    `<table ${table} style="margin: 0 0 16px;">`,
    '  <tr>',
    `    <td align="center" bgcolor="${background}" style="border-radius: ${radius}; mso-padding-alt: ${padding};">`,
    `      <a${classOf(look?.class)} href="${href}" style="${style}">${label}</a>`,
    '    </td>',
    '  </tr>',
    '</table>');
}

/** The HTML of another button with its own label and link. */
function repeatedButton({ html, from, link, label: labels }, label, href) {
  const places = [...link.map(range => ({ range, text: href })), ...labels.map(range => ({ range, text: label }))]
    .sort((one, other) => other.range[0] - one.range[0]);
  const changed = places.reduce((all, { range: [begin, end], text }) => all.slice(0, begin - from) + text + all.slice(end - from), html);
  return changed.replace(/\r\n?/g, '\n');
}

/** Two columns of at most `width` pixels, which Outlook sees as cells of a table. */
function columns(width, left, right) {
  const column = html => [`<div style="display: inline-block; width: 100%; max-width: ${width}px; vertical-align: top;">`, `  ${html}`, '</div>'];
  return lines(
    `<!--[if mso]><table ${table} width="100%"><tr><td width="${width}" valign="top"><![endif]-->`,
    ...column(left),
    `<!--[if mso]></td><td width="${width}" valign="top"><![endif]-->`,
    ...column(right),
    '<!--[if mso]></td></tr></table><![endif]-->');
}

/**
 * A piece as a row of a table, with the padding, colours and alignment of its neighbour.
 *
 * @param neighbour {from, to} of a row, or null
 * @param cells     number of cells of the table's rows
 */
export function rowOf(source, html, neighbour, cells) {
  const tag = neighbour && firstTag(source, neighbour.from, neighbour.to, ['td', 'th']);
  const colspan = cells > 1 ? ` colspan="${cells}"` : '';
  return `<tr>\n  <td${colspan}${tag ? cellLook(source, tag) : ' style="padding: 0 32px;"'}>\n    ${html.replaceAll('\n', '\n    ')}\n  </td>\n</tr>`;
}

/** The attributes of a cell that looks like another. The class of a cell without a padding is copied, because it may have one. */
function cellLook(source, tag) {
  const copied = declarations(styleText(source, tag)).filter(({ name }) => /^(?:padding(?:-.*)?|background(?:-color)?|text-align)$/.test(name));
  const isPadded = copied.some(({ name }) => name.startsWith('padding'));
  const isNamed = !isPadded && attributeText(source, tag, 'class') !== '';
  const attributes = [...isNamed ? ['class'] : [], 'align', 'bgcolor'].map(name => [name, attributeText(source, tag, name)])
    .filter(([, value]) => value !== '').map(([name, value]) => ` ${name}="${value.replaceAll('"', '&quot;')}"`).join('');
  const css = [...isPadded || isNamed ? [] : [{ name: 'padding', value: '0' }], ...copied].map(({ name, value }) => `${name}: ${value};`).join(' ');
  return attributes + (css && ` style="${css}"`);
}
