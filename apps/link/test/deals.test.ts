// @module-tag gxx
/** Deals by the reader's cursor: without a gap, without a double. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { ACCOUNT, buildNative, LinkProcess, toDeal } from './support/link-process.ts';

interface DealsFile {
  sequence: number;
  after: string | null;
  is_complete: boolean;
  complete_until: string;
  deals: { ticket: string; at: string }[];
}

let folder: string;
let link: LinkProcess;

beforeAll(buildNative);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-link-'));
  link = await LinkProcess.start(folder);
  link.know({});
});
afterEach(async () => {
  await link.kill();
  await rm(folder, { recursive: true, force: true });
});

const { login, server } = ACCOUNT;
const ask = (after: string | null, more: Record<string, unknown> = {}): Promise<void> =>
  link.write('deals-request.json', { v: 1, login, server, after, from: null, ...more });
const deals = (): Promise<DealsFile> => link.read<DealsFile>('deals.json');
const listTickets = async (): Promise<string[]> => (await deals()).deals.map(({ ticket }) => ticket);

it('deals are listed from the cursor on, 500 at once, and never before the account is synchronised', async () => {
  for (let ticket = 1; ticket <= 1203; ticket += 1) link.say(`deal ${JSON.stringify(toDeal(ticket))}`);
  await link.run(100);
  await ask(null);
  await link.run(1500);
  await expect(deals()).rejects.toThrow('ENOENT');
  await link.run(2000);
  const seen: string[] = [];
  for (let pages = 1; ; pages += 1) {
    const page = await deals();
    expect(page.after).toBe(seen.at(-1) ?? null);
    seen.push(...page.deals.map(({ ticket }) => ticket));
    if (page.is_complete) break;
    expect(page.complete_until).toBe(page.deals.at(-1)?.at);
    expect(pages).toBeLessThan(5);
    await ask(seen.at(-1) ?? null);
    await link.run(1000);
  }
  expect(seen).toEqual(Array.from({ length: 1203 }, (_, index) => String(index + 1)));
});

it('deals have the fields that were agreed, and a deposit is no trade', async () => {
  link.say(`deal ${JSON.stringify(toDeal(1, { side: 'balance', profit: '10000.00', symbol: '', position_id: '0' }))}`);
  link.say(`deal ${JSON.stringify(toDeal(2))}`);
  link.say(`deal ${JSON.stringify(toDeal(3, { entry: 'out', side: 'sell', profit: '-4.20', fee: '-0.10' }))}`);
  await link.run(100);
  await ask('1');
  await link.run(3000);
  const { deals: listed } = await deals();
  expect(listed).toEqual([
    toDeal(2, { type: 'trade', fee: '0.00', out_by: null }),
    toDeal(3, { entry: 'out', side: 'sell', profit: '-4.20', type: 'trade', fee: '-0.10', out_by: null }),
  ]);
  await ask(null);
  await link.run(1000);
  expect((await deals()).deals[0]).toMatchObject({ side: 'balance', profit: '10000.00', symbol: '' });
});

it('each kind of deal of MetaTrader 5 has a name, and those of later builds are others', async () => {
  const types = ['trade', 'trade', 'balance', 'credit', 'charge', 'correction', 'bonus'];
  const money = ['commission', 'commission', 'commission', 'commission', 'commission', 'interest'];
  const expected = [...types, ...money, 'canceled', 'canceled', 'dividend', 'dividend', 'tax', 'other'];
  for (const type of expected.keys())
    link.say(`deal ${JSON.stringify(toDeal(type + 1, { deal_type: String(type), side: 'other', entry: 'out' }))}`);
  await link.run(100);
  await ask(null);
  await link.run(3000);
  const { deals: listed } = (await deals()) as unknown as { deals: { type: string; side: string; out_by: unknown }[] };
  expect(listed.map(({ type }) => type)).toEqual(expected);
  const sides = ['buy', 'sell', 'balance', 'credit'];
  expect(listed.map(({ side }) => side)).toEqual(expected.map((_, type) => sides[type] ?? 'other'));
});

it('a deal that closed a position says what closed it, and no other deal does', async () => {
  const causes = ['client', 'mobile', 'web', 'expert', 'stop_loss', 'take_profit', 'stop_out', 'rollover'];
  const all = [...causes, 'variation_margin', 'split', 'corporate_action', 'sorcery'];
  for (const [index, out_by] of all.entries())
    link.say(`deal ${JSON.stringify(toDeal(index + 1, { out_by, side: 'sell', entry: 'out' }))}`);
  link.say(`deal ${JSON.stringify(toDeal(13, { out_by: 'expert', side: 'sell', entry: 'inout' }))}`);
  link.say(`deal ${JSON.stringify(toDeal(14, { out_by: 'expert' }))}`);
  link.say(`deal ${JSON.stringify(toDeal(15, { out_by: 'client', side: 'balance', entry: 'out' }))}`);
  await link.run(100);
  await ask(null);
  await link.run(3000);
  const { deals: listed } = (await deals()) as unknown as { deals: { out_by: string | null }[] };
  expect(listed.map(({ out_by }) => out_by)).toEqual([...all.slice(0, -1), null, 'expert', null, null]);
});

it('deals are listed again as soon as one comes after the last, and left alone as long as none does', async () => {
  link.say(`deal ${JSON.stringify(toDeal(1))}`);
  await link.run(100);
  await ask('1');
  await link.run(3000);
  const first = await deals();
  expect(first).toMatchObject({ is_complete: true, deals: [] });
  await link.run(20_000);
  expect((await deals()).sequence).toBe(first.sequence);
  link.know({ account: { positions: [] } });
  await link.run(300);
  // The deal comes to the history a moment after the position is gone.
  link.say(`deal ${JSON.stringify(toDeal(2))}`);
  await link.run(600);
  expect(await listTickets()).toEqual(['2']);
  expect(await link.account()).toMatchObject({ last_deal: '2', deals_total: 2 });
});

it('begin at a moment where that is asked, and are told to nobody who asks for another account', async () => {
  for (const ticket of [1, 2, 3]) link.say(`deal ${JSON.stringify(toDeal(ticket))}`);
  await link.run(100);
  await ask(null, { from: toDeal(2).at });
  await link.run(3000);
  expect(await listTickets()).toEqual(['2', '3']);
  const { sequence } = await deals();
  for (const other of [{ login: '5002' }, { server: 'Other' }, { v: 2 }]) {
    await ask('2', other);
    await link.run(1000);
    expect((await deals()).sequence).toBe(sequence);
  }
  await link.write('deals-request.json', 'x'.repeat(100_000));
  await link.run(1000);
  expect((await deals()).sequence).toBe(sequence);
});
