/** The help on the keyboard. */
export const shortcuts = [
  ['Ctrl+K', 'Search or run a command'],
  ['/', 'Search the list'],
  ['J', 'Next row of a list'],
  ['K', 'Previous row of a list'],
  ['X', 'Select the row'],
  ['Enter', 'Open the row'],
  ['Shift+click', 'Select a range of terminals'],
  ['Esc', 'Close the dialog or menu'],
  ['?', 'Show keyboard shortcuts'],
] as const;
