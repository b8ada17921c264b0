/** The dialogs of saved views: no list needs them at first. */
import { isolate } from '../isolate.ts';

export const viewDialogs = {
  saveTitle: 'Save view',
  saveText: 'Keeps the filters, the order and the columns of this list under a name.',
  saveTextFilters: 'Keeps the filters of this list under a name.',
  name: 'Name',
  wrongName: 'Enter a name of up to 60 characters, without slashes.',
  replaces: 'You have a view of this name. It will be replaced.',
  replacesOther: 'You have a view of this name for another list. It will be replaced.',
  saved: (name: string) => `View ${isolate(name)} saved.`,
  deleteTitle: 'Delete view',
  deleteVerb: 'Delete',
  one: 'View',
  deleted: (name: string) => `View ${isolate(name)} deleted.`,
} as const;
