// The code editor: html in colours, {{variables}} and {{> blocks}} in colours of their own.
import { element } from './dom.js';
import { codeMirror } from './library.js';
import { findBar } from './find.js';

/**
 * @param label  what screen readers call it
 * @param change runs after each change
 * @return node, text(), replace(text), clean(), isClean(), line(number), focus(), seen()
 */
export async function editor({ label, text, change }) {
  const CodeMirror = await codeMirror();
  define(CodeMirror);
  const node = element('div', { class: 'code' });
  const mirror = CodeMirror(node, {
    mode: 'stet', lineNumbers: true, lineWrapping: true, screenReaderLabel: label, tabSize: 2, indentUnit: 2,
    matchTags: { bothTags: true }, lineSeparator: separator(text), value: '', undoDepth: 1000, viewportMargin: 20,
    // Tab leaves the editor, as it leaves every other field; Ctrl+] and Ctrl+[ indent.
    extraKeys: { Tab: false, 'Shift-Tab': false, 'Ctrl-F': find, 'Cmd-F': find, 'Ctrl-H': find, 'Ctrl-G': false },
  });
  // A part that scrolls must be reachable by keyboard by itself (WCAG 2.1.1); the text is the field within.
  const scroller = mirror.getScrollerElement();
  scroller.tabIndex = 0;
  scroller.setAttribute('role', 'group');
  scroller.setAttribute('aria-label', label + ', to scroll');
  const bar = findBar(mirror);
  node.prepend(bar.node);
  mirror.setValue(text);
  mirror.clearHistory();
  mirror.on('change', () => change?.());
  let clean = mirror.changeGeneration(true);

  function find() {
    bar.open();
  }

  return {
    node,
    find,
    text: () => mirror.getValue(),
    /** Undo brings the text before back. */
    replace(next) {
      mirror.setOption('lineSeparator', separator(next));
      if (mirror.getValue() !== next) {
        mirror.setValue(next);
      }
    },
    generation: () => mirror.changeGeneration(true),
    clean(generation = mirror.changeGeneration(true)) { clean = generation; },
    isClean: () => mirror.isClean(clean),
    line(number) {
      const line = Math.min(number, mirror.lineCount()) - 1;
      mirror.setCursor({ line, ch: 0 });
      mirror.scrollIntoView({ line, ch: 0 }, node.clientHeight / 3);
      mirror.focus();
      const mark = mirror.addLineClass(line, 'background', 'found-line');
      setTimeout(() => mirror.removeLineClass(mark, 'background', 'found-line'), 1600);
    },
    focus: () => mirror.focus(),
    seen: () => mirror.refresh(),
  };
}

/** What ends the lines of a text, so that the editor gives back the very characters that it was given. */
function separator(text) {
  return text.includes('\r\n') && !/\r(?!\n)|(^|[^\r])\n/.test(text) ? '\r\n' : '\n';
}

function define(CodeMirror) {
  if (CodeMirror.modes.stet) {
    return;
  }
  const tags = {
    startState: () => ({ inside: null }),
    copyState: state => ({ inside: state.inside }),
    token(stream, state) {
      if (state.inside === null && stream.match('{{')) {
        if (!closes(stream)) {
          return 'stet-unclosed';
        }
        state.inside = kind(stream);
        stream.match(/^[{&]/);
      }
      if (state.inside !== null) {
        const now = state.inside;
        if (stream.match(/^.*?\}\}\}?/)) {
          state.inside = null;
        } else {
          stream.skipToEnd();
        }
        return now;
      }
      while (stream.next() !== undefined && !stream.match('{{', false)) {
        // Goes on to the next tag or the end of the line.
      }
      return null;
    },
  };
  CodeMirror.defineMode('stet', config => CodeMirror.overlayMode(CodeMirror.getMode(config, 'text/html'), tags, true));
}

/** Whether a tag is closed before the next one opens; one that spans lines is looked for in the next few. */
function closes(stream) {
  let text = stream.string.slice(stream.pos);
  for (let line = 1; ; line++) {
    const end = text.indexOf('}}');
    const next = text.indexOf('{{');
    if (end >= 0 || next >= 0 || line > 8) {
      return end >= 0 && (next < 0 || end < next);
    }
    const more = stream.lookAhead(line);
    if (more === undefined) {
      return false;
    }
    text = more;
  }
}

function kind(stream) {
  return stream.match(/^~?\s*>/, false) ? 'stet-block' : stream.match(/^~?\s*!/, false) ? 'stet-note' : 'stet-variable';
}
