// Loads the editor and the text difference, which come from other projects, only for the pages that need them.
import { element } from './dom.js';

const loading = new Map();

function script(name) {
  return once(name, () => element('script', { src: '/assets/' + name }));
}

function sheet(name) {
  return once(name, () => element('link', { rel: 'stylesheet', href: '/assets/' + name }), 'prepend');
}

function once(name, make, how = 'append') {
  if (!loading.has(name)) {
    loading.set(name, new Promise((done, failed) => {
      const node = make();
      node.addEventListener('load', () => done());
      node.addEventListener('error', () => {
        loading.delete(name);
        node.remove();
        failed(new Error('A part of this page could not be loaded'));
      });
      document.head[how](node);
    }));
  }
  return loading.get(name);
}

/** CodeMirror with what editing mails needs. */
export async function codeMirror() {
  await Promise.all([script('codemirror.js'), sheet('codemirror.css')]);
  await Promise.all(['xml.js', 'javascript.js', 'css.js', 'overlay.js', 'searchcursor.js', 'xml-fold.js'].map(script));
  await Promise.all(['htmlmixed.js', 'matchtags.js'].map(script));
  return window.CodeMirror;
}

/** jsdiff. */
export async function textDifference() {
  await script('diff.min.js');
  return window.Diff;
}
