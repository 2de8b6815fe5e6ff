// Preview frames and their messages. The email in a frame may be hostile, so only messages from our own frames are accepted.

/** @param onMessage receives a frame's message, the source of that frame, and whether it is the newest frame */
export function previewFrames(onMessage) {
  /** The old frame stays until the new one has loaded. Entries are {frame, source}. */
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
    /** Source of the newest frame. */
    source: () => newest()?.source ?? '',
    send: message => newest()?.frame.contentWindow?.postMessage(message, '*'),
    focus: () => newest()?.frame.focus(),
    close: () => removeEventListener('message', receive),
  };
}
