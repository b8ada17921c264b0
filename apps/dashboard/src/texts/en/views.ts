/** Saved views of a list. */
import { isolate } from '../isolate.ts';

export const views = {
  label: 'Saved views',
  title: 'Views',
  none: 'Keep filters that you use often.',
  save: 'Save view…',
  delete: 'Delete view…',
  command: (name: string) => `View: ${isolate(name)}`,
} as const;
