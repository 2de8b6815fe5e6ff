// Keys that move within a control: arrows, Home and End.

/**
 * Returns what a pressed key stands for; undefined for other keys, and for keys pressed with Alt, Ctrl or Meta, which the browser may need:
 * Alt+Left goes back.
 *
 * @param moves what each key stands for, by the key's name: {ArrowLeft: …}
 */
export function moveOf({ key, altKey, ctrlKey, metaKey }, moves) {
  return altKey || ctrlKey || metaKey ? undefined : moves[key];
}
