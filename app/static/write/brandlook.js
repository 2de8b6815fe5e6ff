// The account's look, for the first piece of a kind in an email.
import { get } from '../frame/server.js';
import { contrastOf } from './colours.js';

/** Resolves to the account's look; null if it cannot be loaded. */
export function brandLook() {
  return get('/data/brand', { quiet: true }).then(({ brand }) => brand, () => null);
}

/** A look with a button in the account's colours and the font of the texts, unless the email has a button. */
export function withBrand(look, brand) {
  if (!brand || look.button) {
    return look;
  }
  // The font shorthand ends with the family, after the size and line height.
  const family = /(?:^|;)\s*font\s*:[^;]*?\d(?:px|em|pt|%)?(?:\/[\d.]+\w*)?\s+([^;]+)/.exec(look.text?.style ?? '')?.[1].trim();
  return {
    ...look,
    button: {
      background: brand.colour, color: contrastOf(brand.colour, '#ffffff') >= contrastOf(brand.colour, '#000000') ? '#ffffff' : '#000000',
      ...family && { font: `font: bold 16px/24px ${family}` },
    },
  };
}
