// The HTML of new pieces. It is read by every mail client: tables with inline styles, no VML, columns that stack without media queries.
// A new piece looks like the first one of its kind in the email.
import { attributeText, declarations, firstTag } from './sourcetext.js';
import { startTag } from '../preview/inplace.js';

const FONT = "16px/24px Arial, sans-serif";
const COLOUR = '#1c2430';
const BUTTON = '#2455c3';
const RULE = '#e1e4ea';
/** Width of an email without its padding, in pixels. */
const WIDTH = 536;
const MAX_TEMPLATE = 4_000;

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
      look.text = found?.name === 'p' ? found : look.text ?? (found && textLook(found));
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

function elementLook(source, piece) {
  const tag = piece.open && startTag(source, piece.open[0]);
  return tag && { name: tag.name, class: attributeText(source, tag, 'class'), style: attributeText(source, tag, 'style').replaceAll('"', "'") };
}

/** The text of a cell as a paragraph: its font and colour only. */
function textLook({ style }) {
  const kept = declarations(style).filter(({ name }) => /^(?:color|font|font-.*|line-height|text-align)$/.test(name));
  return { name: 'p', class: '', style: ['margin: 0 0 16px', ...kept.map(({ name, value }) => `${name}: ${value}`)].join('; ') + ';', isGuess: true };
}

function buttonLook(source, pieces, piece) {
  const isBlock = pieces.list[piece.in].form === 'blocks';
  const html = source.slice(piece.from, piece.to);
  // A look from a class needs the same elements around the link. The class may be that of a shared block.
  if ((piece.class?.background || valueOf(source, piece, 'background') === '') && isBlock && html.length < MAX_TEMPLATE && piece.values?.link && piece.values?.label) {
    return { html, from: piece.from, link: piece.values.link, label: piece.values.label };
  }
  const tag = startTag(source, piece.open[0]);
  const font = declarations(attributeText(source, tag, 'style').replaceAll('"', "'")).filter(({ name }) => /^(?:font|font-.*|line-height|letter-spacing|text-transform)$/.test(name));
  return {
    background: valueOf(source, piece, 'background'), color: valueOf(source, piece, 'color'), padding: valueOf(source, piece, 'padding'),
    radius: valueOf(source, piece, 'radius'), font: font.map(({ name, value }) => `${name}: ${value}`).join('; '), class: attributeText(source, tag, 'class'),
  };
}

const classOf = name => name ? ` class="${name}"` : '';
const table = 'role="presentation" cellpadding="0" cellspacing="0" border="0"';

const lines = (...all) => all.join('\n');

/** HTML in a cell as wide as what is around it. */
function boxed(style, inner) {
  return lines(`<table ${table} width="100%">`, '  <tr>', `    <td style="${style}">`, ...inner.map(line => '      ' + line), '    </td>', '  </tr>', '</table>');
}

/**
 * The HTML of a new piece, in lines that end with \n.
 *
 * @param look    from {@link lookOf}
 * @param options {label, href, src, alt, width, own, name, html}; `own` is the width of an image's file
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
      return image(options, Math.min(width, options.own ?? width));
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
      return columns(half, image(options, Math.min(half - 16, options.own ?? half)), paragraph(look, options.label ?? 'New text'));
    case 'section':
      return boxed('padding: 24px;', [paragraph(look, 'New text')]);
    case 'block':
      return `{{> ${options.name}}}`;
    case 'condition':
      return `{{#if ${options.name}}}\n  ${paragraph(look, options.label ?? 'New text')}\n{{/if}}`;
    case 'list':
      return `{{#each ${options.name}}}\n  ${paragraph(look, options.label ?? '{{this}}')}\n{{/each}}`;
    default:
      return options.html ?? '<div>HTML</div>';
  }
}

function paragraph(look, label) {
  const { style = `margin: 0 0 16px; font: ${FONT}; color: ${COLOUR};`, class: css } = look.text ?? {};
  return `<p${classOf(css)}${style && ` style="${style}"`}>${label}</p>`;
}

function image({ src = 'https://', alt = '' }, width) {
  return `<img src="${src}" width="${width}" alt="${alt}" style="display: block; width: 100%; max-width: ${width}px; height: auto; border: 0;">`;
}

function buttonHtml(look, { label = 'Button', href = 'https://' }) {
  if (look?.html) {
    return [...look.link.map(range => [range, href]), ...look.label.map(range => [range, label])].sort(([one], [other]) => other[0] - one[0])
      .reduce((html, [[from, to], text]) => html.slice(0, from - look.from) + text + html.slice(to - look.from), look.html).replace(/\r\n?/g, '\n');
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
  const style = tag ? declarations(attributeText(source, tag, 'style').replaceAll('"', "'")) : [];
  const kept = style.filter(({ name }) => /^(?:padding(?:-.*)?|background(?:-color)?|text-align)$/.test(name));
  const isPadded = kept.some(({ name }) => name.startsWith('padding'));
  const isNamed = !isPadded && attributeText(source, tag, 'class') !== '';
  const padding = isPadded || isNamed ? [] : [{ name: 'padding', value: tag ? '0' : '0 32px' }];
  const attributes = [...isNamed ? ['class'] : [], 'align', 'bgcolor'].map(name => [name, attributeText(source, tag, name)]).filter(([, value]) => value)
    .map(([name, value]) => ` ${name}="${value.replaceAll('"', '&quot;')}"`).join('');
  const css = [...padding, ...kept].map(({ name, value }) => `${name}: ${value};`).join(' ');
  return `<tr>\n  <td${cells > 1 ? ` colspan="${cells}"` : ''}${attributes}${css && ` style="${css}"`}>\n    ${html.replaceAll('\n', '\n    ')}\n  </td>\n</tr>`;
}
