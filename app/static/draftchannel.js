// The channel between the tabs of one browser that have a text open: a tab with its preview follows the tab of the editor.
import { account } from './session.js';

const channelOf = path => new BroadcastChannel(`stet ${account.id} ${path}`);

/** The editor's end: tells the other tabs the present draft, and each new one on request. @return {send, close} */
export function draftSender(path) {
  const channel = channelOf(path);
  let last = null;
  channel.addEventListener('message', ({ data }) => data === 'ask' && last && channel.postMessage(last));
  return {
    send(draft) {
      last = draft;
      channel.postMessage(draft);
    },
    close: () => channel.close(),
  };
}

/** The preview's end. @param onDraft gets each draft of the editor @return {ask, close} */
export function draftReceiver(path, onDraft) {
  const channel = channelOf(path);
  channel.addEventListener('message', ({ data }) => typeof data?.html === 'string' && onDraft(data));
  return { ask: () => channel.postMessage('ask'), close: () => channel.close() };
}
