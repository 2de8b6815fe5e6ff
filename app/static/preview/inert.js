// Foreign HTML as nodes that load and run nothing, and of which the page's policy reports nothing.

const TAG = /<[a-z](?:[^"'<>]|"[^"]*"|'[^']*')*>/gi;
const REPORTED = /(?<=[\s"'/])(?:style|on[a-z]+)(?=\s*=)/gi;

/** The nodes of HTML without its styles and listeners. */
export function inertNodes(source) {
  const inert = document.createElement('template');
  inert.innerHTML = source.replace(TAG, tag => tag.replace(REPORTED, 'data-$&'));
  return inert.content;
}
