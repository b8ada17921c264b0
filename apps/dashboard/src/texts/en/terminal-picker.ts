/** Choosing some of the terminals. */
export const terminalPicker = {
  chosen: (count: number) =>
    count === 0 ? 'None chosen' : `${count.toLocaleString()} ${count === 1 ? 'terminal' : 'terminals'} chosen`,
  search: 'Search terminals',
  noMatch: 'No matching terminals.',
  clear: 'Clear selection',
};
