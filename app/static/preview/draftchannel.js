// Sends drafts between browser tabs: a preview tab follows the editor's tab.
import { account } from '../frame/session.js';

const channelOf = path => new BroadcastChannel(`stet ${account.id} ${path}`);

/** The editor's end: sends the current draft to other tabs, now and on request. @return {send, close} */
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

/** The preview tab's end. @param onDraft receives each draft @return {ask, close} */
export function draftReceiver(path, onDraft) {
  const channel = channelOf(path);
  channel.addEventListener('message', ({ data }) => typeof data?.html === 'string' && onDraft(data));
  return { ask: () => channel.postMessage('ask'), close: () => channel.close() };
}
