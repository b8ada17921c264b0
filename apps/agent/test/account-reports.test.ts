/** How accounts reach a server: paced, in few calls, their deals without a gap or a double. */
import type { DealCursor, ReportedAccount } from '@berth/contract';
import { createLogger, systemTiming } from '@berth/kit';
import { waitFor } from '@berth/testing/wait-for';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AccountReporter } from '../src/account/account-reporter.ts';
import { AccountWatch } from '../src/account/account-watch.ts';
import type { TerminalDriver } from '../src/platforms/driver.ts';
import type { AccountsAnswer } from '../src/server/server-calls.ts';
import { ServerError } from '../src/server/server-error.ts';
import { AccountFolder, OWN, toAccountFile, toDeal, toPosition } from './support/account-folder.ts';

/** What a server does with accounts, as far as a host can tell. */
class Peer {
  readonly calls: ReportedAccount[][] = [];
  readonly deals = new Map<string, string[]>();
  isAway = false;

  async sendAccounts(terminals: ReportedAccount[]): Promise<AccountsAnswer> {
    if (this.isAway) throw new ServerError('unreachable', 'away');
    this.calls.push(terminals);
    return { too_soon: [], refused: [], cursors: terminals.flatMap((each) => this.#take(each)) };
  }

  listDeals(id: string): string[] {
    const known = this.deals.get(id) ?? [];
    this.deals.set(id, known);
    return known;
  }

  #take({ terminal_id: id, state, deals }: ReportedAccount): DealCursor[] {
    const known = this.listDeals(id);
    if (deals?.after === (known.at(-1) ?? null)) known.push(...deals.deals.map(({ ticket }) => ticket));
    const last = known.at(-1) ?? null;
    if (!deals && state?.last_deal === last) return [];
    return [{ terminal_id: id, last_ticket: last, complete_until: null }];
  }
}

let folders: AccountFolder[];
let peer: Peer;
let elapsed: number;
let log: string;
beforeEach(() => {
  folders = [];
  peer = new Peer();
  elapsed = 0;
  log = '';
});
afterEach(() => {
  for (const folder of folders) folder.close();
});

const createHost = (count: number) => {
  folders = Array.from({ length: count }, () => new AccountFolder());
  const toDriver = (folder: AccountFolder, index: number) =>
    ({
      terminalId: `t${index}`,
      isAlive: () => true,
      findExchange: () => folder.exchange,
    }) as unknown as TerminalDriver;
  const drivers = folders.map(toDriver);
  const keeper = {
    list: () => drivers.map((driver) => ({ driver, isBusy: false })),
    find: (id: string) => drivers.find(({ terminalId }) => terminalId === id),
  };
  const logger = createLogger({ name: 'test', level: 'info', destination: { write: (line) => void (log += line) } });
  const watch = new AccountWatch({ keeper, timing: systemTiming, elapsedMs: () => elapsed, log: logger });
  const reporter = new AccountReporter({ watch, server: peer, log: logger });
  const report = () => reporter.reportNews(new AbortController().signal);
  const look = async (isThere: () => boolean) => {
    await waitFor(
      () => {
        watch.lookAtAll();
        return isThere();
      },
      { what: 'the look' },
    );
  };
  return { watch, report, look, reporter };
};

/** Plays the link program: answers a request for deals out of a history. */
const answerRequest = (
  { path, ...folder }: AccountFolder,
  write: AccountFolder['write'],
  history: number[],
): string => {
  const { after } = JSON.parse(readFileSync(join(path, 'deals-request.json'), 'utf8')) as { after: string | null };
  const wanted = history.filter((ticket) => after === null || ticket > Number(after));
  const deals = wanted.slice(0, 500).map((ticket) => toDeal(ticket));
  const file = { v: 1, ...OWN, sequence: 1, after, is_complete: wanted.length <= 500, deals };
  write('deals.json', { ...file, complete_until: new Date().toISOString(), own: folder.own });
  return String(after);
};

test('a state is known at once, and sent once, at most once a second; those of many terminals go in one call', async () => {
  const { watch, report, look } = createHost(3);
  const observed: string[] = [];
  watch.observe((id, { state }) => observed.push(`${id} ${state.sequence}`));
  for (const folder of folders) folder.write('account.json', toAccountFile());
  await look(() => observed.length === 3);
  await report();
  await report();
  expect(peer.calls.map((call) => call.map(({ terminal_id: id }) => id))).toEqual([['t0', 't1', 't2']]);
  expect(peer.calls[0]![0]!.state).toMatchObject({ sequence: 1, balance: '9999.70', positions: [{ ticket: '2' }] });
  expect(peer.calls[0]![0]!.state).not.toHaveProperty('login');

  elapsed += 500;
  folders[0]!.write('account.json', toAccountFile({ sequence: 2 }));
  await look(() => observed.includes('t0 2'));
  await report();
  expect(peer.calls.flat().filter(({ state }) => state)).toHaveLength(3);
  elapsed += 500;
  await report();
  expect(peer.calls.at(-1)!.map(({ terminal_id: id, state }) => `${id} ${state?.sequence}`)).toEqual(['t0 2']);
});

test('the server learns whether a terminal is connected and how old its prices were, and nothing else that rules need', async () => {
  const { watch, report, look } = createHost(4);
  const now = Date.now();
  const toTime = (afterMs: number) => new Date(now + afterMs).toISOString();
  const at = toTime(0);
  const facts = (last_tick_at: string | null) => ({
    at,
    connected: true,
    trade_denied_by: [],
    cash: null,
    last_tick_at,
  });
  folders[0]!.write('account.json', toAccountFile(facts(toTime(-1_500))));
  folders[1]!.write('account.json', toAccountFile({ ...facts(null), connected: false }));
  // A price of the second in which the file was written, or of a clock that was set back.
  folders[2]!.write('account.json', toAccountFile(facts(toTime(500))));
  folders[3]!.write('account.json', toAccountFile({ at }));
  await look(() => ['t0', 't1', 't2', 't3'].every((id) => watch.latestAccount(id) !== undefined));
  await report();
  const states = peer.calls.flat().map(({ state }) => state as Record<string, unknown>);
  expect(states.map(({ connected, tick_age_ms }) => [connected, tick_age_ms])).toEqual([
    [true, 1_500],
    [false, null],
    [true, 0],
    [undefined, undefined],
  ]);
  for (const name of ['risk', 'cash', 'trade_denied_by', 'last_tick_at'])
    expect(states.every((state) => !(name in state))).toBe(true);
});

test('a thousand positions are sent as far as they fit, old numbers not at all, and none while the server is away', async () => {
  const { watch, report, look } = createHost(1);
  const positions = Array.from({ length: 700 }, (_, at) => toPosition(String(at)));
  folders[0]!.write('account.json', toAccountFile({ positions }));
  await look(() => watch.latestAccount('t0') !== undefined);
  peer.isAway = true;
  await report();
  peer.isAway = false;
  elapsed += 3_000;
  await report();
  const { state } = peer.calls[0]![0]!;
  expect(state).toMatchObject({ positions_total: 700, age_ms: expect.any(Number) as number });
  expect(state!.positions.length).toBeLessThan(700);
  folders[0]!.write('account.json', toAccountFile({ sequence: 2 }));
  await look(() => watch.latestAccount('t0')?.state.sequence === 2);
  elapsed += 16_000;
  await report();
  expect(peer.calls).toHaveLength(1);
});

test('deals follow the cursor of the server page by page, through an outage, without a gap or a double', async () => {
  const { watch, report, look } = createHost(1);
  const folder = folders[0]!;
  const write = folder.write.bind(folder);
  const history = Array.from({ length: 1_200 }, (_, at) => at + 1);
  let sequence = 0;
  const step = async () => {
    sequence += 1;
    elapsed += 4_000;
    write('account.json', toAccountFile({ sequence, last_deal: String(history.at(-1)) }));
    await look(() => watch.latestAccount('t0')?.state.sequence === sequence);
    await report();
    if (peer.isAway) return;
    const after = answerRequest(folder, write, history);
    const wanted = after === 'null' ? null : after;
    await look(() => watch.find('t0')!.findDeals(wanted) !== undefined);
    await report();
  };
  for (let rounds = 0; rounds < 5; rounds += 1) await step();
  expect(peer.listDeals('t0')).toEqual(history.map(String));
  peer.isAway = true;
  history.push(1_201, 1_202);
  await step();
  history.push(1_205);
  await step();
  peer.isAway = false;
  for (let rounds = 0; rounds < 3; rounds += 1) await step();
  expect(peer.listDeals('t0')).toEqual(history.map(String));
});

test('a file that lies is never sent, and the log says so once', async () => {
  const { watch, report, look } = createHost(1);
  folders[0]!.write('account.json', toAccountFile({ balance: '1e308' }));
  await look(() => log.includes('not believed'));
  folders[0]!.write('account.json', toAccountFile({ balance: 'NaN', sequence: 2 }));
  elapsed += 5_000;
  await look(() => true);
  folders[0]!.write('account.json', toAccountFile({ sequence: 3 }));
  elapsed += 5_000;
  await look(() => watch.latestAccount('t0') !== undefined);
  await report();
  expect(peer.calls.flat().map(({ state }) => state?.sequence)).toEqual([3]);
  expect(log.match(/not believed/g)).toHaveLength(1);
});

test('a file that is not believed is read again after five seconds, and holds up no other file', async () => {
  const { watch, look } = createHost(1);
  const [folder] = folders;
  let deals = 0;
  watch.observeDeals(() => (deals += 1));
  const readDeals = async () => {
    const before = deals;
    const file = { v: 1, ...OWN, sequence: before, after: null, is_complete: true, deals: [toDeal(before)] };
    folder!.write('deals.json', { ...file, complete_until: new Date().toISOString() });
    await look(() => deals > before);
  };
  folder!.write('account.json', 'x'.repeat(256 * 1024 + 1));
  await look(() => log.includes('not believed'));
  folder!.write('account.json', toAccountFile());
  // The second look at deals comes after a look at the new account.
  await readDeals();
  await readDeals();
  expect(watch.latestAccount('t0')).toBeUndefined();
  elapsed += 5_000;
  await look(() => watch.latestAccount('t0') !== undefined);
});

test('an account that can never be passed on is complained of once in ten minutes', async () => {
  const { watch, look } = createHost(1);
  let looks = 0;
  watch.observe(() => {
    looks += 1;
    throw new Error('cannot take it');
  });
  for (const [index, atMs] of [0, 1_000, 2_000, 700_000].entries()) {
    elapsed = atMs;
    folders[0]!.write('account.json', toAccountFile({ sequence: index + 1 }));
    await look(() => looks > index);
  }
  const countComplaints = () => log.match(/an account could not be passed on/g)?.length ?? 0;
  await waitFor(() => countComplaints() > 1, { what: 'the second complaint' });
  expect(countComplaints()).toBe(2);
  watch.close();
});
