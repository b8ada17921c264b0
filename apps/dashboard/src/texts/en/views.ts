/** Saved views of a list. */
import { isolate } from '../isolate.ts';

export const views = {
  label: 'Saved views',
  title: 'Views',
  none: 'Keep filters that you use often.',
  save: 'Save view…',
  saveTitle: 'Save view',
  saveText: 'Keeps the filters, the order and the columns of this list under a name.',
  saveTextFilters: 'Keeps the filters of this list under a name.',
  name: 'Name',
  wrongName: 'Enter a name of up to 60 characters, without slashes.',
  replaces: 'You have a view of this name. It will be replaced.',
  replacesOther: 'You have a view of this name for another list. It will be replaced.',
  saved: (name: string) => `View ${isolate(name)} saved.`,
  delete: (name: string) => `Delete ${isolate(name)}`,
  deleted: (name: string) => `View ${isolate(name)} deleted.`,
  command: (name: string) => `View: ${isolate(name)}`,
} as const;
