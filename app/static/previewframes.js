// The frames of a preview, and the messages between them and the page. The mail in a frame may be hostile, so messages are taken
// from our own frames alone.

/**
 * @param onMessage gets a message of a frame, the source that the frame was made from, and whether it is the newest frame
 */
export function previewFrames(onMessage) {
  /** An older frame is shown until a newer one is loaded. Each is {frame, source}. */
  let frames = [];
  const newest = () => frames.at(-1);

  function receive({ source: from, origin, data }) {
    const sender = from && origin === 'null' && typeof data?.kind === 'string'
      && frames.find(each => each.frame.contentWindow === from);
    if (sender) {
      onMessage(data, sender.source, sender === newest(), reply => from.postMessage(reply, '*'));
    }
  }

  addEventListener('message', receive);
  return {
    add(frame, source) {
      frames = [...frames.filter(each => each.frame.isConnected), { frame, source }];
    },
    /** The source that the newest frame was made from. */
    source: () => newest()?.source ?? '',
    send: message => newest()?.frame.contentWindow?.postMessage(message, '*'),
    focus: () => newest()?.frame.focus(),
    close: () => removeEventListener('message', receive),
  };
}
