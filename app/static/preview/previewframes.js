// Preview frames and their messages. The email in a frame may be hostile, so only messages from our own frames are accepted.

/**
 * @param onMessage receives a frame's message and {source, isNewest, reply}: the source of that frame, whether it is the newest one, and a
 *                  function that sends a message back
 */
export function previewFrames(onMessage) {
  /** The old frame stays until the new one has loaded. Entries are {frame, source, offset}. */
  let frames = [];
  const newest = () => frames.at(-1);

  /** A mark of the frame with places in the source; null if it is outside of it. */
  function markInSource(mark, { source, offset }) {
    const [, kind, begin, end] = /^([etv]) (\d{1,9}) (\d{1,9})$/.exec(mark ?? '') ?? [];
    return !kind || offset === 0 ? mark
      : begin >= offset && end <= offset + source.length ? `${kind} ${begin - offset} ${end - offset}` : null;
  }

  /** Passes on a message of one of the frames; others are ignored. */
  function receive({ source: from, origin, data }) {
    const sender = from && origin === 'null' && typeof data?.kind === 'string'
      && frames.find(each => each.frame.contentWindow === from);
    if (sender) {
      const marks = Object.fromEntries(['source', 'element', 'link'].filter(name => name in data).map(name => [name, markInSource(data[name], sender)]));
      onMessage({ ...data, ...marks, ends: endsOf(data, sender) },
        { source: sender.source, isNewest: sender === newest(), reply: message => from.postMessage(message, '*') });
    }
  }

  /** The two ends of a selection; null if they are not as Stet's script reports them. */
  function endsOf({ ends }, sender) {
    const isEnd = end => typeof end?.source === 'string' && typeof end.text === 'string';
    const isValid = Array.isArray(ends) && ends.length === 2 && ends.every(isEnd);
    return isValid ? ends.map(end => ({ ...end, source: markInSource(end.source, sender) })) : null;
  }

  addEventListener('message', receive);
  return {
    /** @param offset place of the source in the HTML of the preview */
    add(frame, source, offset) {
      frames = [...frames.filter(each => each.frame.isConnected), { frame, source, offset }];
    },
    /** Source of the newest frame. */
    source: () => newest()?.source ?? '',
    /** @param message its `at` and `ranges` are places in the source */
    send: message => newest()?.frame.contentWindow?.postMessage(withOffset(message, newest().offset), '*'),
    focus: () => newest()?.frame.focus(),
    close: () => removeEventListener('message', receive),
  };
}

/** A message with its places in the source as places in the HTML of the preview. */
function withOffset(message, offset) {
  return {
    ...message, ...'at' in message && { at: message.at + offset },
    ...message.ranges && { ranges: message.ranges.map(range => ({ ...range, from: range.from + offset, to: range.to + offset })) },
  };
}
