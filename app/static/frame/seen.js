// Forms for settings that several users may change: nobody replaces a value that the form did not show.
import { isOwn } from './session.js';
import { ago } from './time.js';

/** The author of a change, as the subject of a sentence. @param name as recorded with the change, or null */
export const author = name => isOwn(name) ? 'You' : name ?? 'Someone else';

/** The time of a change, as the end of a sentence. @param at null if unknown */
export const when = at => at ? ago(at) : 'in the meantime';

/**
 * A form's `submit` that sends what the form showed. If somebody has changed the setting since, the error shows the new value, and the
 * next click replaces it.
 *
 * @param shown the values that the form shows
 * @param words makes text of the setting's values
 * @param send  receives the typed values and, as `seen`, the values that the user has last seen
 */
export function submitSeen(shown, words, send) {
  let seen = shown;
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
