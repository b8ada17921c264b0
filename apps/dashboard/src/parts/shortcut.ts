/** What takes letters; a box or a button that has the focus does not. */
const TEXT = 'textarea, select, input:not([type=checkbox], [type=radio], [type=file], [type=button], [type=submit])';

/** Whether this key was pressed as a shortcut: by itself, and not into a field for text. */
export const isShortcut = (event: KeyboardEvent, key: string): boolean => {
  const { target, ctrlKey, metaKey, altKey } = event;
  if (event.key !== key || ctrlKey || metaKey || altKey) return false;
  return !(target instanceof HTMLElement && (target.isContentEditable || target.matches(TEXT)));
};
