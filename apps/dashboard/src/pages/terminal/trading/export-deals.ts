/** All deals of a period as a file that the browser saves; page by page, so that no limit of the list cuts it. */
import { berth } from '../../../data/berth.ts';
import { serverNow } from '../../../data/server-clock.ts';
import { pageTexts } from '../../../texts/page-texts.ts';
import { toCsv } from './deals-csv.ts';

/** What a tab holds at once: some 20 MB. */
export const MAX_EXPORTED_DEALS = 100_000;

const columns = [
  'ticket',
  'at',
  'symbol',
  'side',
  'entry',
  'volume',
  'price',
  'commission',
  'swap',
  'profit',
  'order',
  'position_id',
  'magic',
  'comment',
] as const;

const save = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};

/** @returns how many deals are in the file */
export const exportDeals = async (terminalId: string, login: string, from: number): Promise<number> => {
  const rows: string[][] = [];
  for await (const deal of berth.terminals.deals(terminalId, { from: new Date(from).toISOString() })) {
    rows.push(columns.map((name) => deal[name]));
    if (rows.length >= MAX_EXPORTED_DEALS) break;
  }
  const day = new Date(serverNow()).toISOString().slice(0, 10);
  save(pageTexts.terminalTrading.deals.file(login.replaceAll(/[^\w.-]/g, '_'), day), toCsv(columns, rows));
  return rows.length;
};
