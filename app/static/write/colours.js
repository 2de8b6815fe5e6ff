// Colours as written in emails, and their contrast.

const NAMED = new Map(Object.entries({
  black: '#000000', white: '#ffffff', red: '#ff0000', green: '#008000', blue: '#0000ff', gray: '#808080', grey: '#808080', silver: '#c0c0c0',
  navy: '#000080',
}));

/** A colour as #rrggbb: from 3 or 6 hexadecimal digits, an opaque rgb() or a common name, or the first #rrggbb in the text; null if there is none. */
export function hexOf(text) {
  const value = text.trim().toLowerCase();
  const short = /^#?([0-9a-f])([0-9a-f])([0-9a-f])$/.exec(value);
  const long = /^#?([0-9a-f]{6})$/.exec(value);
  const rgb = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*1(?:\.0*)?\s*)?\)$/.exec(value);
  if (short) {
    return '#' + short.slice(1).map(digit => digit + digit).join('');
  }
  if (long) {
    return '#' + long[1];
  }
  if (rgb) {
    return '#' + rgb.slice(1).map(part => Math.min(255, Number(part)).toString(16).padStart(2, '0')).join('');
  }
  return NAMED.get(value) ?? /#[0-9a-f]{6}\b/.exec(value)?.[0] ?? null;
}

/** Relative luminance (WCAG 2.2). */
function luminance(hex) {
  const [red, green, blue] = [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours given as #rrggbb, from 1 to 21. */
export function contrastOf(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
