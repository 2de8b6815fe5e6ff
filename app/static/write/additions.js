// Adds parts to an email: new ones, images that were dropped, copied HTML. A part is added where it was dropped, else after the chosen one.
import { attempt } from '../frame/dialog.js';
import { openDialog } from '../frame/dom.js';
import { brandLook, withBrand } from './brandlook.js';
import { lookOf } from './kinds.js';
import { insert, insertHtml } from './operations.js';
import { askForPiece } from './pieceforms.js';

/** In px: the least plausible width, and the room that columns leave. */
const LEAST_WIDTH = 120;
const BETWEEN_COLUMNS = 10;
const NO_PLACE = { problem: 'This email has no place for a new part. Add it in the HTML.' };

/**
 * @param names       returns the names of the known variables
 * @param chooseBlock asks for a shared block; resolves to its name, or undefined
 * @param readBlock   resolves to the HTML of a shared block
 * @param model       returns the pieces
 * @param chosen      returns the number of the chosen piece, or -1
 * @param run         runs an operation
 * @param showStatus  shows the user a sentence; its second argument is 'failed' if something could not be done
 * @param widthOf     returns the width in px of the widest piece of a list; 0 if it is not known
 */
export function additions({ names, chooseBlock, readBlock, model, chosen, run, showStatus, widthOf }) {
  let isAdding = false;

  /** The {list, index} after the chosen piece, else at the end of the email's contents; null if it has no list. */
  function usualPlace() {
    const { pieces, lists, index, main } = model();
    if (pieces[chosen()]) {
      return { list: pieces[chosen()].in, index: index(chosen()) + 1 };
    }
    const list = main();
    return list < 0 ? null : { list, index: lists[list].pieces.length };
  }

  /**
   * Runs an operation with the place of the new piece.
   *
   * @param dropped {place, text}: where it was dropped, in which text; null for the usual place, which is also that if the text has changed since
   */
  function runAt(dropped, operation) {
    run(([source, found]) => {
      const place = dropped?.text === source ? dropped.place : usualPlace();
      return place === null ? NO_PLACE : operation(source, found, place);
    });
  }

  /**
   * Adds a piece of a kind, after asking for what it needs.
   *
   * @param place the {list, index} where it was dropped; null for the usual place
   * @param file  a dropped or pasted image file, or null
   */
  async function insertPiece(kind, place = null, file = null) {
    const dropped = place && { place, text: model().text };
    const form = await askForPiece(kind, { names: names(), chooseBlock, readBlock, file });
    if (!form) {
      return;
    }
    const brand = kind === 'button' ? await brandLook() : null;
    runAt(dropped, (source, found, at) => {
      if (kind === 'code' || kind === 'saved') {
        return insertHtml(source, found, { html: form.html, ...at, status: kind === 'saved' ? 'Copy of the block added' : 'HTML added' });
      }
      return insert(source, found, {
        kind, ...at, look: withBrand(lookOf(source, found), brand), options: { ...form, ...widthFor(kind, at.list) },
      });
    });
  }

  /** The width for images and columns: that of their neighbours. Columns need room for the space between them. */
  function widthFor(kind, list) {
    const wide = widthOf(list);
    return wide < LEAST_WIDTH ? {} : { width: kind === 'image' ? wide : wide - BETWEEN_COLUMNS };
  }

  return {
    insert: insertPiece,
    /** Adds an image file that was dropped or pasted. The preview's frame is not trusted: only an image opens the dialog, and only one at a time. */
    addImage(file, place = null) {
      if (file instanceof File && file.type.startsWith('image/') && !isAdding && !openDialog()) {
        isAdding = true; // while the file is uploaded, no dialog is open yet
        attempt(() => insertPiece('image', place, file).finally(() => { isAdding = false; }));
      }
    },
    /** Adds copied HTML; other text is refused. */
    paste(text) {
      if (/^\s*(?:<|\{\{)/.test(text)) {
        runAt(null, (source, found, place) => insertHtml(source, found, { html: text, ...place, status: 'Pasted' }));
      } else {
        showStatus('Copy a part of an email first, then paste it here.', 'failed');
      }
    },
  };
}
