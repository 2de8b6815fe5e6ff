// Finds a visible element by role and name, like a user or a screen reader; if a dialog is open, searches only in it.
const [role, name, within] = arguments;
const selectors = {
  button: 'button:not([role]), summary',
  link: 'a[href]',
  field: 'input:not([type=hidden]):not([type=radio]):not([type=checkbox]), textarea:not([aria-hidden]), select',
  radio: 'input[type=radio]',
  checkbox: 'input[type=checkbox]',
  tab: '[role=tab]',
  menuitem: '[role=menuitem]',
  heading: 'h1, h2, h3',
  text: '*',
};
const normalizeSpace = text => text.replace(/\s+/g, ' ').trim();

function textOf(node) {
  if (node.nodeType === Node.TEXT_NODE) {
    return node.data;
  }
  if (node.nodeType !== Node.ELEMENT_NODE || node.getAttribute('aria-hidden') === 'true' || node.matches('.hint')) {
    return '';
  }
  return [...node.childNodes].map(textOf).join('');
}

function accessibleName(node) {
  const by = node.getAttribute('aria-labelledby');
  return normalizeSpace(by ? by.split(' ').map(id => document.getElementById(id)?.textContent ?? '').join(' ')
    : node.getAttribute('aria-label') ?? (node.labels?.length ? [...node.labels].map(textOf).join(' ') : textOf(node)));
}

function isShown(node) {
  return node.checkVisibility({ visibilityProperty: true, opacityProperty: false }) && node.getClientRects().length > 0;
}

const dialogs = document.querySelectorAll('dialog[open]');
const scope = within ? document.querySelector(within) : dialogs[dialogs.length - 1] ?? document;
if (!scope || (document.getElementById('main')?.hasAttribute('aria-busy') && !dialogs.length && role !== 'text')) {
  return null;
}
const all = [...scope.querySelectorAll(selectors[role])].filter(isShown);
if (role === 'text') {
  return all.filter(node => normalizeSpace(node.innerText ?? node.textContent ?? '').includes(name)).pop() ?? null;
}
return all.find(node => accessibleName(node) === name)
  ?? (role === 'tab' ? all.find(node => accessibleName(node).replace(/ \d+$/, '') === name) : null) ?? null;
