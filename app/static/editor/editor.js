// The code editor, which highlights HTML, {{variables}} and {{> blocks}}.
import { html } from '../frame/dom.js';
import { codeMirror, lineSeparator } from '../frame/library.js';
import { addCompletion, overwriteEndTags } from './complete.js';
import { findBar } from './find.js';
import { imageOf } from '../images/upload.js';
import { reindent } from './format.js';

/** Characters that change a name although nobody sees them. Joiners and variation selectors count only beside ASCII, because words and emoji need them. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffc]|[\u200c\u200d](?=[ -~])|(?<=[ -~])[\ufe00-\ufe0f](?!\u20e3)/g;

const MARK_MILLIS = 1600;
/** Maximum number of lines of a tag after its first. */
const MAX_TAG_LINES = 8;

/** The mark in the place of an invisible character. */
function invisibleChar(char) {
  const name = 'U+' + char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return html`<span class="invisible-char" title=${'Invisible character ' + name} aria-label=${name}>${name}</span>`;
}

/**
 * @param label    accessible name
 * @param onChange runs after each change
 * @param names    returns the {variables, blocks} to offer for completion, or a promise of them
 * @param onImage  receives an image file that was dropped or pasted, after the cursor was put there
 */
export async function editor({ label, text, onChange, names, onImage }) {
  const CodeMirror = await codeMirror();
  defineMode(CodeMirror);
  const node = html`<div class="code"></div>`;
  const find = () => bar.open();
  const mirror = CodeMirror(node, {
    mode: 'stet', lineNumbers: true, lineWrapping: true, screenReaderLabel: label, tabSize: 2, indentUnit: 2,
    matchTags: { bothTags: true }, autoCloseTags: { whenClosing: false, indentTags: [] },
    autoCloseBrackets: { pairs: '{}', explode: '' },
    specialChars: INVISIBLE, specialCharPlaceholder: invisibleChar,
    lineSeparator: lineSeparator(text), value: '', undoDepth: 1000, viewportMargin: 20,
    // Tab leaves the editor, as in every other field; Ctrl+] and Ctrl+[ indent.
    extraKeys: { Tab: false, 'Shift-Tab': false, 'Ctrl-F': find, 'Cmd-F': find, 'Ctrl-H': find, 'Ctrl-G': false,
      'Ctrl-Enter': false, 'Cmd-Enter': false },
  });
  // A scrollable region must be focusable by keyboard (WCAG 2.1.1).
  const scroller = mirror.getScrollerElement();
  scroller.tabIndex = 0;
  scroller.setAttribute('role', 'group');
  scroller.setAttribute('aria-label', label + ', scrollable');
  const bar = findBar(mirror);
  node.prepend(bar.node);
  node.append(html`
    <p class="keys-hint">
      <span><kbd>Tab</kbd> next field</span> <span><kbd>Ctrl+Space</kbd> autocomplete</span> <span><kbd>F1</kbd> shortcuts</span>
    </p>`);
  mirror.setValue(text);
  mirror.clearHistory();
  mirror.on('change', () => onChange());
  mirror.on('drop', (_, event) => {
    const file = imageOf(event.dataTransfer);
    if (file) {
      event.preventDefault();
      mirror.setCursor(mirror.coordsChar({ left: event.clientX, top: event.clientY }, 'window'));
      onImage(file);
    }
  });
  mirror.on('paste', (_, event) => {
    const file = imageOf(event.clipboardData);
    if (file) {
      event.preventDefault();
      onImage(file);
    }
  });
  addCompletion(CodeMirror, mirror, names);
  overwriteEndTags(mirror);
  let savedGeneration = mirror.changeGeneration(true);

  return {
    node,
    find,
    text: () => mirror.getValue(),
    /** Replaces the text; undo restores it. */
    replace(next) {
      mirror.setOption('lineSeparator', lineSeparator(next));
      if (mirror.getValue() !== next) {
        mirror.setValue(next);
      }
    },
    undo: () => mirror.undo(),
    redo: () => mirror.redo(),
    selection: () => mirror.getSelection(),
    /** Inserts text at the cursor or replaces the selection. */
    insert(inserted) {
      mirror.replaceSelection(inserted);
      mirror.focus();
    },
    /** Indents all lines; returns false if the text is too long for that or its styles preserve whitespace. */
    format() {
      const formatted = reindent(mirror.getValue('\n'));
      if (formatted !== null && formatted !== mirror.getValue('\n')) {
        const { line } = mirror.getCursor();
        mirror.setValue(formatted.replaceAll('\n', mirror.lineSeparator()));
        mirror.setCursor({ line, ch: 0 });
      }
      mirror.focus();
      return formatted !== null;
    },
    /** Identifies the current state of the text, to which undo can return. */
    generation: () => mirror.changeGeneration(true),
    markSaved(generation) { savedGeneration = generation; },
    isSaved: () => mirror.isClean(savedGeneration),
    /** Shows a line, from 1, or the last line if there are fewer; highlights it for a moment. */
    goToLine(number) {
      const line = Math.min(number, mirror.lineCount()) - 1;
      mirror.setCursor({ line, ch: 0 });
      mirror.scrollIntoView({ line, ch: 0 }, node.clientHeight / 3);
      mirror.focus();
      const mark = mirror.addLineClass(line, 'background', 'found-line');
      setTimeout(() => mirror.removeLineClass(mark, 'background', 'found-line'), MARK_MILLIS);
    },
    refresh: () => mirror.refresh(),
    ...placesOf(mirror),
  };
}

/** Functions of the editor about places, counted in characters of the text. */
function placesOf(mirror) {
  const at = index => mirror.posFromIndex(index);
  const index = position => mirror.indexFromPos(position);
  /** Text with the line ends of the email. */
  const asLines = text => text.replace(/\r?\n/g, mirror.lineSeparator());
  return {
    cursor: () => index(mirror.getCursor()),
    onCursor: run => mirror.on('cursorActivity', run),
    hasFocus: () => mirror.hasFocus(),
    focus: () => mirror.focus(),
    select(from, to) {
      mirror.setSelection(at(from), at(to), { scroll: false });
      mirror.scrollIntoView({ from: at(from), to: at(Math.min(to, from + 1)) }, mirror.getScrollerElement().clientHeight / 3);
    },
    asLines,
    /** Changes of the present text, each {from, to, text}, as a single undo step. */
    edits(changes) {
      const fromEnd = changes.map((change, i) => ({ ...change, i }))
        .sort((one, other) => other.from - one.from || other.to - one.to || other.i - one.i);
      const places = fromEnd.map(({ from, to, text }) => ({ start: at(from), end: at(to), text: asLines(text) }));
      mirror.operation(() => places.forEach(({ text, start, end }) => mirror.replaceRange(text, start, end, 'preview')));
    },
    /**
     * Tracks a range through edits; `find` returns its place, or null once it is deleted.
     *
     * @param options.grows true if the range includes text inserted at its ends
     */
    track(from, to, { grows = false } = {}) {
      const mark = mirror.markText(at(from), at(to), { inclusiveLeft: grows, inclusiveRight: grows });
      return {
        find() {
          const found = mark.find();
          return found ? { from: index(found.from), to: index(found.to) } : null;
        },
        clear: () => mark.clear(),
      };
    },
    onKey: keys => mirror.addKeyMap(keys),
  };
}

/** Defines the mode that highlights Handlebars tags in HTML. */
function defineMode(CodeMirror) {
  if (CodeMirror.modes.stet) {
    return;
  }
  const tags = {
    startState: () => ({ inside: null }),
    copyState: state => ({ inside: state.inside }),
    token(stream, state) {
      if (state.inside === null && stream.match('{{')) {
        if (!isClosed(stream)) {
          return 'stet-unclosed';
        }
        state.inside = tagStyle(stream);
        stream.match(/^[{&]/);
      }
      if (state.inside !== null) {
        const style = state.inside;
        if (stream.match(/^.*?\}\}\}?/)) {
          state.inside = null;
        } else {
          stream.skipToEnd();
        }
        return style;
      }
      while (stream.next() !== undefined && !stream.match('{{', false)) {
        // Continue to the next tag or the end of the line.
      }
      return null;
    },
  };
  CodeMirror.defineMode('stet', config => CodeMirror.overlayMode(CodeMirror.getMode(config, 'text/html'), tags, true));
}

/** True if the tag at the stream's place is closed before the next tag opens, within MAX_TAG_LINES lines. */
function isClosed(stream) {
  let text = stream.string.slice(stream.pos);
  for (let line = 1; ; line++) {
    const found = /\}\}|\{\{/.exec(text)?.[0];
    const more = found || line > MAX_TAG_LINES ? undefined : stream.lookAhead(line);
    if (more === undefined) {
      return found === '}}';
    }
    text = more;
  }
}

/** The style of the tag at the stream's place: an included block, a comment, or else a variable. */
function tagStyle(stream) {
  return stream.match(/^~?\s*>/, false) ? 'stet-block' : stream.match(/^~?\s*!/, false) ? 'stet-note' : 'stet-variable';
}
