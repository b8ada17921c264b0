import { charts, orders } from './charts.ts';
import type { CorpusFile } from './corpus-file.ts';
import { mt4Journals } from './mt4-journals.ts';
import { mt5Journals } from './mt5-journals.ts';
import { settings } from './settings.ts';

export const corpus: readonly CorpusFile[] = [...charts, ...orders, ...settings, ...mt5Journals, ...mt4Journals];

export const listCorpus = (kind: CorpusFile['kind'], platform?: CorpusFile['platform']): CorpusFile[] =>
  corpus.filter((file) => file.kind === kind && (platform === undefined || file.platform === platform));

export const getCorpusFile = (name: string): Buffer => {
  const file = corpus.find((each) => each.name === name);
  if (!file) throw new Error(`the corpus has no ${name}`);
  return file.bytes;
};
