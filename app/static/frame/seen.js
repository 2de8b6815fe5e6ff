// Forms for settings that several users may change: nobody replaces a value that the form did not show.
import { isOwn } from './session.js';
import { relativeTime } from './time.js';

export const author = name => isOwn(name) ? 'You' : name ?? 'Someone else';

export const when = at => at ? relativeTime(at).textContent : 'in the meantime';

/**
 * A form's `submit` that sends what the form showed. If somebody has changed the setting since, the error shows the new value, and the
 * next click replaces it.
 *
 * @param seen     the values that the form shows
 * @param words    the setting's values as text
 * @param send     receives the typed values, each time with the values last seen
 */
export function submitSeen(seen, words, send) {
  return async given => {
    try {
      return await send({ ...given, seen });
    } catch (failure) {
      const theirs = failure.body?.theirs;
      if (theirs) {
        seen = theirs.value;
        failure.message = `${author(theirs.by)} changed this ${when(theirs.at)}. It is now: ${words(seen)}. To replace it, click the button again`;
      }
      throw failure;
    }
  };
}
