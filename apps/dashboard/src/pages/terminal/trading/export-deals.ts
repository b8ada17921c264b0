/** All deals of a period as a file that the browser saves; page by page, so that no limit of the list cuts it. */
import { berth } from '../../../data/berth.ts';
import { saveFile } from '../../../data/save-file.ts';
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
  // Added later: a program may take columns by their place.
  'type',
  'fee',
  'out_by',
] as const;

/** @returns how many deals are in the file */
export const exportDeals = async (terminalId: string, login: string, from: number): Promise<number> => {
  const rows: (string | null)[][] = [];
  for await (const deal of berth.terminals.deals(terminalId, { from: new Date(from).toISOString() })) {
    rows.push(columns.map((name) => deal[name]));
    if (rows.length >= MAX_EXPORTED_DEALS) break;
  }
  const day = new Date(serverNow()).toISOString().slice(0, 10);
  const name = pageTexts.terminalTrading.deals.file(login.replaceAll(/[^\w.-]/g, '_'), day);
  saveFile(name, toCsv(columns, rows), 'text/csv;charset=utf-8');
  return rows.length;
};
