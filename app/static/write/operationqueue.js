// Performs operations on the pieces of an email, one after the other. Each is one edit of the HTML and one undo step; it is verified at once, and
// again with the pieces that the server finds in the result. What is not exact is undone.
import { assertExact } from './operations.js';

/** Operations waiting for the pieces of the present text; more are dropped. */
const MAX_WAITING = 50;

/**
 * @param code       the editor
 * @param check      checks the present text at once
 * @param showStatus shows the user a sentence; its second argument is 'failed' if something could not be done
 * @param model      returns the pieces of the text that was last checked
 * @param onDone     receives the range to choose after an operation, null for none
 */
export function operationQueue({ code, check, showStatus, model, onDone }) {
  let waiting = [];
  let last = null; // the operation whose result is verified with the next pieces

  /**
   * Runs an operation once the pieces of the present text are known.
   *
   * @param operation receives the text and its pieces; returns {edits, select, status}, {problem} or null
   */
  function run(operation) {
    if (waiting.length < MAX_WAITING) {
      waiting.push(operation);
    }
    runWaiting();
    if (waiting.length > 0) {
      check();
    }
  }

  /** Runs the operations that wait for the pieces, once they are known. */
  function runWaiting() {
    while (waiting.length > 0 && model().text === code.text() && last === null) {
      perform(waiting.shift());
    }
  }

  /** Performs an operation as one edit, and has the pieces of the result found. Without edits, only a problem is shown. */
  function perform(operation) {
    const before = code.text();
    const result = operation([before, model().found]);
    if (result?.problem) {
      showStatus(result.problem, 'failed');
    }
    if (!result?.edits?.length) {
      return;
    }
    const edits = result.edits.map(each => ({ ...each, text: code.asLines(each.text) }));
    code.edits(edits);
    try {
      assertExact(before, edits, code.text());
    } catch (failure) {
      console.error(failure);
      code.undo();
      showStatus('That would have changed more than it should, so it was undone.', 'failed');
      return;
    }
    last = { after: code.text(), fixed: model().fixed.length };
    onDone(result.select ?? null);
    showStatus(result.status ?? '');
    check();
  }

  /** Verifies the last operation with the pieces found in its result, and undoes it if it leaves a part open. @return false if so */
  function verify({ text, problem, fixed }) {
    const done = last;
    last = null;
    if (done && text === done.after && (problem !== null || fixed.length > done.fixed)) {
      waiting = [];
      code.undo();
      showStatus('That would leave a part of the email open, so it was undone.', 'failed');
      check();
      return false;
    }
    return true;
  }

  return { run, runWaiting, verify };
}
