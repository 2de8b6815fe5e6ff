// Part of the script in a preview: image files that are dropped on the email or pasted into it. Without it, the
// browser would open a dropped file in a new tab.
(() => {
  const { isElement, closest, post } = frameDocument;
  const isImage = ({ type }) => type.startsWith('image/');
  const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes('Files');
  const place = event => ({ x: event.clientX + scrollX, y: event.clientY + scrollY });

  /** Reports an image file that is over the email or is dropped on it; refuses all else, but words in the text that is being edited. */
  function onDrag(event) {
    if (!hasFiles(event) && isElement(event.target) && closest(event.target, 'stet-text')) {
      return; // words dragged into the text that is being edited
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.type === 'drop') {
      const file = [...event.dataTransfer.files].find(isImage);
      post(file ? { kind: 'fileDrop', file, ...place(event) } : { kind: 'fileLeave' });
    } else if ([...event.dataTransfer.items].some(item => item.kind === 'file' && isImage(item))) {
      event.dataTransfer.dropEffect = 'copy';
      post({ kind: 'fileOver', ...place(event) });
    } else {
      event.dataTransfer.dropEffect = 'none';
    }
  }

  /** Reports a pasted image file, unless a text is being edited. */
  function onPaste(event) {
    const file = [...event.clipboardData.files].find(isImage);
    if (file && !frameTexts.isEdited()) {
      event.preventDefault();
      event.stopImmediatePropagation();
      post({ kind: 'filePaste', file });
    }
  }

  for (const type of ['dragenter', 'dragover', 'drop']) {
    addEventListener(type, onDrag, true);
  }
  addEventListener('dragleave', event => event.relatedTarget === null && post({ kind: 'fileLeave' }), true);
  addEventListener('paste', onPaste, true);
})();
