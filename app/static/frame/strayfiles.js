// A file dropped where nothing takes it is not opened in place of the page, which would lose what was typed. Whatever takes files
// listens on document or below it, so that it runs before these listeners.
for (const type of ['dragover', 'drop']) {
  addEventListener(type, event => {
    if (!event.defaultPrevented && event.dataTransfer?.types.includes('Files') && !event.target.closest?.('input[type=file]')) {
      event.preventDefault();
      event.dataTransfer.dropEffect = 'none';
    }
  });
}
