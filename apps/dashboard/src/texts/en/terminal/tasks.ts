/** Tasks of one terminal. */
export const terminalTasks = {
  filterLabel: 'Which tasks',
  filters: { all: 'All', open: 'Under way', failed: 'Failed', done: 'Ended well' },
  empty: 'No task yet',
  emptyText:
    'Whatever is done with this terminal is a task: it is carried out once, in order, and told step by step here.',
  noMatch: 'No task is like this',
  noMatchText: 'Show all of them to see what was done.',
  showAll: 'Show all',
  open: 'show in detail',
  cancel: 'Cancel the task',
  copyCurl: 'Copy as curl',
  copyTypeScript: 'Copy as TypeScript',
  copyId: 'Copy the id',
  id: 'The id of the task',
};
