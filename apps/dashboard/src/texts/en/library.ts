/** The library of experts. */
import { isolate } from '../isolate.ts';

const terminals = (count: number): string => `${count.toLocaleString()} ${count === 1 ? 'terminal' : 'terminals'}`;

export const library = {
  lead: 'Experts on the charts of your terminals, and expert files that you uploaded. A newer file of the same name can replace the one that runs.',
  caption: 'Your experts',
  columns: {
    name: 'Expert',
    version: 'File',
    size: 'Size',
    uploaded: 'Uploaded',
    terminals: 'Runs on',
    actions: 'Actions',
  },
  unread: 'unknown',
  noFile: 'not uploaded',
  terminals: (count: number) => (count === 0 ? 'no terminal' : terminals(count)),
  update: 'Update all…',
  updateOf: (name: string) => `Update all with ${isolate(name)}`,
  title: 'Update expert',
  text: (name: string, count: number, file: string) =>
    `Replaces ${isolate(name)} on ${terminals(count)} with the newest ${isolate(file)}. Inputs and permissions stay as they are. Up to 500 terminals at a time.`,
  confirm: (count: number) => `Update on ${terminals(Math.min(count, 500))}`,
  none: 'No experts yet',
  noneText: 'Upload an .ex5 or .ex4 file, and install it on your terminals.',
};
