/** Tasks of one terminal. */
export const terminalTasks = {
  filterLabel: 'Filter by status',
  filters: { all: 'All', open: 'In progress', failed: 'Failed', done: 'Succeeded' },
  empty: 'No tasks yet',
  emptyText: 'Everything done with this terminal is a task. Tasks run one at a time, in order, and are listed here.',
  noMatch: 'No matching tasks',
  noMatchText: 'Clear the filter to see all tasks.',
  showAll: 'Show all',
  open: 'show details',
  cancel: 'Cancel task',
  copyCurl: 'Copy as curl',
  copyTypeScript: 'Copy as TypeScript',
  copyId: 'Copy ID',
  id: 'Task ID',
};
