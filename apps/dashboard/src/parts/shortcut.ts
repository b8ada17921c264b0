/** What takes letters; a box, a choice or a button that has the focus does not. */
const TEXT =
  'textarea, input:not([type=checkbox], [type=radio], [type=file], [type=button], [type=submit], [type=range])';

/**
 * Whether this key was pressed as a shortcut of the page: by itself, not into a field for text, and not while a dialog
 * covers the page. A choice finds its options by their first letters, which are none of its business where no letter is
 * pressed.
 */
export const isShortcut = (event: KeyboardEvent, key: string): boolean => {
  const { target, ctrlKey, metaKey, altKey } = event;
  if (event.key !== key || ctrlKey || metaKey || altKey) return false;
  if (document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]')) return false;
  if (!(target instanceof HTMLElement)) return true;
  const isForLetters = /\w/.test(key) && target.matches('select');
  return !(isForLetters || target.isContentEditable || target.matches(TEXT));
};
