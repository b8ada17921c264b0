import { appendFile, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, SafeDirectory } from '@berth/kit';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readHistory } from '../src/platforms/metatrader/journal/history.ts';
import { findJournalEvent, type JournalEvent } from '../src/platforms/metatrader/journal/journal-events.ts';
import {
  mt4Journal,
  mt5Journal,
  type JournalFolder,
  type JournalForm,
} from '../src/platforms/metatrader/journal/journal-form.ts';
import { JournalFollower } from '../src/platforms/metatrader/journal/journal-follower.ts';
import { findJournalLine, toDayFileName } from '../src/platforms/metatrader/journal/journal-line.ts';
import { JournalTail } from '../src/platforms/metatrader/journal/journal-tail.ts';
import { findMt4Event } from '../src/platforms/metatrader/journal/mt4-events.ts';
import { toObservation, toTerminalObservation } from '../src/platforms/metatrader/run/observations.ts';
import { applyEvent, createView, type LoginState } from '../src/platforms/metatrader/run/terminal-view.ts';
import { ViewWaiters } from '../src/platforms/metatrader/run/view-waiters.ts';

const silent = createLogger({ name: 'journal', level: 'silent' });
const place = { name: 'My EA v1.2 (b)', symbol: 'EURUSD.r', period: 'M15' };

test.each<[string, JournalEvent]>([
  ['MetaTrader 5 x64 build 5836 started for MetaQuotes Ltd.', { kind: 'started', build: 5836 }],
  ['MetaTrader 5 IC Markets Global x64 build 6182 started for Raw Trading Ltd', { kind: 'started', build: 6182 }],
  [
    "'7': authorized on A B-Demo through Access Point 1 (ping: 158.41 ms, build 5830)",
    { kind: 'authorized', login: '7', server: 'A B-Demo', pingMs: 158.41 },
  ],
  ["'7': authorized on A-Demo through DC", { kind: 'authorized', login: '7', server: 'A-Demo', pingMs: null }],
  ["'7': authorized on A-Demo", { kind: 'authorized', login: '7', server: 'A-Demo', pingMs: null }],
  [
    "'7': authorization on A-Demo failed (Invalid account)",
    { kind: 'authorization_failed', login: '7', server: 'A-Demo', reason: 'Invalid account' },
  ],
  ["'7': no connection to 1.2.3.4:443", { kind: 'no_connection', login: '7', server: '1.2.3.4:443' }],
  ["'7': connection to A-Demo lost", { kind: 'connection_lost', login: '7', server: 'A-Demo' }],
  ["'7': disconnected from A-Demo", { kind: 'connection_lost', login: '7', server: 'A-Demo' }],
  [
    "'7': terminal synchronized with C: 3 positions, 0 orders, 834 symbols, 0 spreads",
    { kind: 'synchronized', login: '7', symbols: 834 },
  ],
  ["'7': ping to current access point A is 0.52 ms", { kind: 'ping', login: '7', pingMs: 0.52 }],
  ["new demo account '9' opened on A-Demo", { kind: 'demo_opened', login: '9', server: 'A-Demo' }],
  ['Accounts deleted due security reason', { kind: 'accounts_deleted' }],
  ['expert My EA v1.2 (b) (EURUSD.r,M15) loaded successfully', { kind: 'expert_loaded', ...place }],
  ['expert My EA v1.2 (b) (EURUSD.r,M15) loaded succesfully', { kind: 'expert_loaded', ...place }],
  ['expert My EA v1.2 (b) (EURUSD.r,M15) removed', { kind: 'expert_removed', ...place }],
  [
    'expert My EA v1.2 (b) (Volatility 75 (1s) Index,M1) loaded successfully',
    { kind: 'expert_loaded', name: 'My EA v1.2 (b)', symbol: 'Volatility 75 (1s) Index', period: 'M1' },
  ],
  ['expert E (X,Daily) removed', { kind: 'expert_removed', name: 'E', symbol: 'X', period: 'D1' }],
  [
    'initializing of E (X,M1) failed with code 0 (symbol synchronization timeout)',
    {
      kind: 'expert_failed',
      name: 'E',
      symbol: 'X',
      period: 'M1',
      reason: 'with code 0 (symbol synchronization timeout)',
      line: 'initializing of E (X,M1) failed with code 0 (symbol synchronization timeout)',
    },
  ],
  ['automated trading is enabled', { kind: 'algo_trading', enabled: true, byAccountChange: false }],
  [
    'automated trading is disabled because the account has been changed',
    { kind: 'algo_trading', enabled: false, byAccountChange: true },
  ],
  ['script S (X,H1) removed', { kind: 'script_removed', name: 'S', symbol: 'X', period: 'H1' }],
  [
    'cannot load config "C:\\x.ini" at start',
    { kind: 'config_rejected', text: 'cannot load config "C:\\x.ini" at start' },
  ],
  ['shutdown with 0', { kind: 'shutdown' }],
  ['stopped', { kind: 'shutdown' }],
  ['terminal stopped due to system shutdown', { kind: 'shutdown' }],
  ['new version build 6090 (IDE: 6085) is available', { kind: 'update_announced' }],
  ["download 'mt5clw64' failed", { kind: 'update_failed' }],
])('journal texts: %s', (message, event) => expect(findJournalEvent({ message })).toEqual(event));

test.each([
  "Notifications: 'build 7 started' sent to 'AB12'",
  'Windows 10 build 19045 on Wine 11.0',
  "'7': scanning network for access points",
  'full recompilation',
])('journal texts: %s is no event', (message) => expect(findJournalEvent({ message })).toBeUndefined());

const mt4Place = { name: 'My EA (b)', symbol: 'EURUSD.r', period: 'M15' };
const somewhere = 'the trading server';
test.each<[string, JournalEvent]>([
  [
    "'7': login on A B-Demo through DC 2 (ping: 58.53 ms)",
    { kind: 'authorized', login: '7', server: 'A B-Demo', pingMs: 58.53 },
  ],
  ["'7': ping to current access point DC is 61.20 ms", { kind: 'ping', login: '7', pingMs: 61.2 }],
  ["'7': connect failed [No connection]", { kind: 'no_connection', login: '7', server: somewhere }],
  [
    "'7': login failed [Invalid account]",
    { kind: 'authorization_failed', login: '7', server: somewhere, reason: 'Invalid account' },
  ],
  ["'7': connection lost", { kind: 'connection_lost', login: '7', server: somewhere }],
  ['Expert My EA (b) EURUSD.r,M15: loaded successfully', { kind: 'expert_loaded', ...mt4Place }],
  ['Expert My EA (b) EURUSD.r,M15: removed', { kind: 'expert_removed', ...mt4Place }],
  [
    'Expert E X,Daily: initialization failed (no symbol)',
    {
      kind: 'expert_failed',
      name: 'E',
      symbol: 'X',
      period: 'D1',
      reason: '(no symbol)',
      line: 'Expert E X,Daily: initialization failed (no symbol)',
    },
  ],
  ["Account: new demo account '7' opened", { kind: 'demo_opened', login: '7', server: '' }],
  ['Script S X,H1: removed', { kind: 'script_removed', name: 'S', symbol: 'X', period: 'H1' }],
  ['Automated trading enabled', { kind: 'algo_trading', enabled: true, byAccountChange: false }],
  ['automated trading is disabled', { kind: 'algo_trading', enabled: false, byAccountChange: false }],
  ['shutdown with 0', { kind: 'shutdown' }],
  ['LiveUpdate: new version build 1430 is available', { kind: 'update_announced' }],
])('journal texts of MetaTrader 4: %s', (message, event) => expect(findMt4Event({ message })).toEqual(event));

test('a program’s own lines are none of MetaTrader 4’s texts', () => {
  for (const message of ['E X,M1 inputs: a=1; ', 'E X,M1: initialized', 'E X,M1: uninit reason 9', 'Expert']) {
    expect(findMt4Event({ message })).toBeUndefined();
  }
});

test('a line has five columns, and its message may hold tabs', () => {
  expect(findJournalLine('AB\t2\t12:34:56.789\tNetwork\ta\tb')).toEqual({
    level: 2,
    time: '12:34:56.789',
    source: 'Network',
    message: 'a\tb',
  });
  expect(findJournalLine('the rest of a message')).toBeUndefined();
});

test('a text made to keep the patterns busy is read like any other, as often as it comes', () => {
  const hostile = [
    `'7': terminal synchronized with ${'1'.repeat(960)}`,
    `start "${'liveupdate" '.repeat(80)}`,
    `start "${'liveupdate'.repeat(50)}" ${'" '.repeat(200)}`,
    `expert ${'a ('.repeat(300)}`,
    `'7': ping to current access point ${' is 1'.repeat(180)}`,
  ];
  let found = 0;
  for (let times = 0; times < 2_000; times += 1) {
    for (const message of hostile) if (findJournalEvent({ message })?.kind === 'update_announced') found += 1;
  }
  expect(found).toBe(0);
  expect(findJournalEvent({ message: 'start "C:\\x\\liveupdate.exe" C:\\x /update' })?.kind).toBe('update_announced');
});

test('any text is read without an error', () => {
  fc.assert(fc.property(fc.string(), (message) => void findJournalEvent({ message })));
});

const toBytes = (messages: readonly string[], { mark = true } = {}): Buffer => {
  const text = messages.map((message) => `AB\t0\t00:00:00.000\tT\t${message}\r\n`).join('');
  return Buffer.from(`${mark ? '\ufeff' : ''}${text}`, 'utf16le');
};

describe('following a journal', () => {
  let folder: string;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'berth-journal-')), 'logs');
    await mkdir(folder);
  });
  afterEach(async () => {
    for (const held of holding.splice(0)) await held.close();
    await rm(join(folder, '..'), { recursive: true, force: true });
  });

  const holding: SafeDirectory[] = [];
  const hold = async (form: JournalForm = mt5Journal): Promise<JournalFolder> => {
    const held = await SafeDirectory.open(folder);
    holding.push(held);
    return { folder: held, form };
  };

  /** As if it had been written to before the clock was set back by 14 hours. */
  const setAhead = async (file: string) => {
    const seconds = Date.now() / 1000 + 14 * 3600;
    await utimes(join(folder, file), seconds, seconds);
  };
  const readMessages = async (tail: JournalTail) => (await tail.read()).map(({ message }) => message);

  test('lines come out whole and once, wherever the flushes cut them', async () => {
    const message = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((text) => !/[\r\n\ufeff]/.test(text));
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(400)),
        async (messages, cuts) => {
          const file = join(folder, '20260101.log');
          await rm(file, { force: true });
          const tail = new JournalTail(await hold());
          const bytes = toBytes(messages);
          const places = [
            0,
            ...[...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b),
            bytes.length,
          ];
          const read: string[] = [];
          for (const [index, end] of places.slice(1).entries()) {
            await appendFile(file, bytes.subarray(places[index], end));
            read.push(...(await readMessages(tail)));
          }
          expect(read).toEqual(messages);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('the old day is read to its end before the new one begins', async () => {
    await writeFile(join(folder, '20260101.log'), toBytes(['before']));
    const tail = await JournalTail.fromEnd(await hold());
    await appendFile(join(folder, '20260101.log'), toBytes(['last of the day'], { mark: false }));
    await writeFile(join(folder, '20260102.log'), toBytes(['first of the next']));
    await writeFile(join(folder, 'metaeditor.log'), toBytes(['not a day']));
    expect(await readMessages(tail)).toEqual(['last of the day', 'first of the next']);
    expect(await readMessages(tail)).toEqual([]);
  });

  test('a tail from the end gives out a line that is half written at that moment', async () => {
    const file = join(folder, '20260101.log');
    const bytes = toBytes(['old', 'new']);
    await writeFile(file, bytes.subarray(0, bytes.length - 7));
    const tail = await JournalTail.fromEnd(await hold());
    expect(await readMessages(tail)).toEqual([]);
    await appendFile(file, bytes.subarray(bytes.length - 7));
    expect(await readMessages(tail)).toEqual(['new']);
  });

  test('a tail of a terminal that is yet to start gives out its first line, whatever its predecessor left half written', async () => {
    const file = join(folder, '20260101.log');
    const bytes = toBytes(['old', 'torn']);
    await writeFile(file, bytes.subarray(0, bytes.length - 8));
    const tail = await JournalTail.fromEnd(await hold(), { isWritten: false });
    await appendFile(file, toBytes(['new'], { mark: false }));
    expect(await readMessages(tail)).toEqual(['new']);
  });

  test('a journal of many megabytes is followed', async () => {
    const messages = Array.from({ length: 40_000 }, (_, index) => `line ${index} ${'x'.repeat(20)}`);
    await writeFile(join(folder, '20260101.log'), toBytes(messages));
    const tail = new JournalTail(await hold());
    const pieces: string[][] = [];
    do pieces.push(await readMessages(tail));
    while (tail.hasMore);
    expect(pieces.flat()).toEqual(messages);
    // So much is looked at in one go; between two readings everybody else has a turn.
    for (const piece of pieces) expect(toBytes(piece).length).toBeLessThan(1024 * 1024);
  });

  test('a follower gives out what a journal of many megabytes says, piece by piece', async () => {
    const padding = Array.from({ length: 40_000 }, (_, index) => `line ${index} ${'x'.repeat(20)}`);
    const started = ['MetaTrader 5 x64 build 1 started for A', 'MetaTrader 5 x64 build 2 started for A'];
    await writeFile(join(folder, '20260101.log'), toBytes([started[0]!, ...padding, started[1]!]));
    const reported: JournalEvent[][] = [];
    const tail = new JournalTail(await hold());
    const follower = new JournalFollower({ tail, onEvents: (events) => reported.push(events), log: silent });
    await follower.catchUp();
    follower.close();
    expect(reported).toEqual([[{ kind: 'started', build: 1 }], [{ kind: 'started', build: 2 }]]);
  });

  const MEGABYTE = 1024 * 1024;
  /** Lines that say nothing, of about so many bytes. */
  const toNoise = (bytes: number): Buffer =>
    toBytes(Array<string>(bytes / 1024).fill('x'.repeat(512)), { mark: false });

  test('a follower reads so many bytes of a journal without end, and says that the rest was skipped', async () => {
    const file = join(folder, '20260101.log');
    await writeFile(file, toBytes(['MetaTrader 5 x64 build 1 started for A']));
    const events: JournalEvent[] = [];
    let log = '';
    const follower = new JournalFollower({
      tail: new JournalTail(await hold()),
      onEvents: (more) => events.push(...more),
      log: createLogger({ name: 'journal', destination: { write: (line) => void (log += line) } }),
      budget: { bytes: 2 * MEGABYTE, ms: 600_000 },
    });
    await follower.catchUp();
    expect(events).toEqual([{ kind: 'started', build: 1 }]);
    await appendFile(file, Buffer.concat([toNoise(8 * MEGABYTE), toBytes(['stopped'], { mark: false })]));
    await follower.catchUp();
    await appendFile(file, toBytes(['MetaTrader 5 x64 build 2 started for A'], { mark: false }));
    await follower.catchUp();
    follower.close();
    expect(events).toEqual([
      { kind: 'started', build: 1 },
      { kind: 'skipped', bytes: expect.any(Number) as number },
    ]);
    expect((events[1] as { bytes: number }).bytes).toBeGreaterThan(4 * MEGABYTE);
    expect(log.match(/MB skipped/g)).toHaveLength(1);
  });

  test('a follower reads on when its time is over, and says what was skipped since it said so first', async () => {
    const file = join(folder, '20260101.log');
    const events: JournalEvent[] = [];
    const budget = { bytes: MEGABYTE, ms: 600_000 };
    const tail = new JournalTail(await hold());
    const follower = new JournalFollower({ tail, onEvents: (more) => events.push(...more), log: silent, budget });
    await writeFile(file, toNoise(4 * MEGABYTE));
    await follower.catchUp();
    await appendFile(file, toNoise(4 * MEGABYTE));
    await follower.catchUp();
    budget.ms = 0;
    await follower.catchUp();
    await appendFile(file, toBytes(['MetaTrader 5 x64 build 2 started for A'], { mark: false }));
    await follower.catchUp();
    follower.close();
    expect(events).toMatchObject([{ kind: 'skipped' }, { kind: 'skipped' }, { kind: 'started', build: 2 }]);
    expect((events[1] as { bytes: number }).bytes).toBe(toNoise(4 * MEGABYTE).length);
  });

  test('history is what was said since the last start, over midnight', async () => {
    await writeFile(join(folder, '20260101.log'), toBytes(['X build 1 started for Y', "'1': authorized on A"]));
    await writeFile(join(folder, '20260102.log'), toBytes(['X build 2 started for Y', "'2': authorized on A"]));
    const last = toBytes(["'2': connection to A lost"]);
    await writeFile(join(folder, '20260103.log'), Buffer.concat([last, Buffer.from('half', 'utf16le')]));
    const { events, marks } = await readHistory(await hold());
    expect(events.map(({ kind }) => kind)).toEqual(['started', 'authorized', 'connection_lost']);
    expect(events[0]).toEqual({ kind: 'started', build: 2 });
    expect(marks.get('20260103.log')).toBe(last.length);
  });

  test('after the clock was set back, what the earlier file gains is read, and is the history', async () => {
    const today = toDayFileName(new Date());
    await writeFile(join(folder, today), toBytes(['X build 1 started for Y']));
    const tail = await JournalTail.fromEnd(await hold());
    await writeFile(join(folder, '29990101.log'), toBytes(['X build 2 started for Y']));
    await setAhead('29990101.log');
    expect(await readMessages(tail)).toEqual(['X build 2 started for Y']);
    await appendFile(join(folder, today), toBytes(['X build 3 started for Y'], { mark: false }));
    expect(await readMessages(tail)).toEqual(['X build 3 started for Y']);
    expect(await readMessages(tail)).toEqual([]);

    const { events, marks } = await readHistory(await hold());
    expect(events).toEqual([{ kind: 'started', build: 3 }]);
    const later = new JournalTail(await hold(), marks);
    await appendFile(join(folder, today), toBytes(["'1': authorized on A"], { mark: false }));
    expect(await readMessages(later)).toEqual(["'1': authorized on A"]);
  });

  test('after the clock was set back by some hours past midnight, the history is in the earlier file', async () => {
    const [today, tomorrow] = [0, 86_400_000].map((ms) => toDayFileName(new Date(Date.now() + ms))) as [string, string];
    await writeFile(join(folder, tomorrow), toBytes(['X build 1 started for Y']));
    await setAhead(tomorrow);
    await writeFile(join(folder, today), toBytes(['X build 2 started for Y', "'1': authorized on A"]));
    const { events } = await readHistory(await hold());
    expect(events.map(({ kind }) => kind)).toEqual(['started', 'authorized']);
  });

  test('lines of 8 bits come out whole, in UTF-8 or in a code page, wherever they are cut', async () => {
    const file = join(folder, '20260101.log');
    const tail = new JournalTail(await hold(mt4Journal));
    const lines = ['0\t00:00:00.001\tgrün', '2\t00:00:00.002\t\tb'].map((text) => Buffer.from(`${text}\r\n`));
    const bytes = Buffer.concat([...lines, Buffer.from('0\t00:00:00.003\tgr\xfcn\r\nnone\r\n', 'latin1')]);
    const read = [];
    for (const byte of bytes) {
      await appendFile(file, Buffer.from([byte]));
      read.push(...(await tail.read()));
    }
    expect(read.map(({ level, source, message }) => [level, source, message])).toEqual([
      [0, '', 'grün'],
      [2, '', '\tb'],
      [0, '', 'grün'],
    ]);
    const start = '0\t00:00:01.000\tMetaTrader 4 build 1420 started (Broker Ltd.)\r\n';
    await appendFile(file, `${start}0\t00:00:02.000\t'7': login on A through D (ping: 1.5 ms)\r\n`);
    const { events } = await readHistory(await hold(mt4Journal));
    expect(events).toEqual([
      { kind: 'started', build: 1420 },
      { kind: 'authorized', login: '7', server: 'A', pingMs: 1.5 },
    ]);
  });

  test('a day file is named by the local day', () => {
    expect(toDayFileName(new Date(2026, 0, 5, 23, 59))).toBe('20260105.log');
  });
});

describe('what the journal amounts to', () => {
  const connecting: LoginState = { state: 'connecting', hasPassword: false };
  const read = (login: LoginState, ...messages: string[]) =>
    messages
      .flatMap((message) => findJournalEvent({ message }) ?? [])
      .reduce((view, event) => applyEvent(view, event), createView(login));
  const statusOf = (login: LoginState, ...messages: string[]) => toObservation(read(login, ...messages).login).status;
  const START = 'MetaTrader 5 x64 build 5836 started for M';

  test('a login leads to ACTIVE, its loss to DISCONNECTED, its return to ACTIVE', () => {
    expect(statusOf(connecting, START)).toBe(2);
    expect(statusOf(connecting, START, "'1': authorized on A")).toBe(3);
    expect(statusOf(connecting, START, "'1': authorized on A", "'1': connection to A lost")).toBe(4);
    expect(
      statusOf(connecting, START, "'1': authorized on A", "'1': connection to A lost", "'1': authorized on A"),
    ).toBe(3);
  });

  test('a refused password is LOGIN_FAILED, a busy server only DISCONNECTED', () => {
    expect(statusOf(connecting, START, "'1': authorization on A failed (Invalid account)")).toBe(6);
    expect(statusOf(connecting, START, "'1': authorization on A failed (Service is not available)")).toBe(4);
  });

  test('wiped accounts matter only where the start brought no password', () => {
    const wiped = 'Accounts deleted due security reason';
    expect(statusOf(connecting, START, wiped)).toBe(6);
    expect(statusOf({ state: 'connecting', hasPassword: true }, START, wiped)).toBe(2);
  });

  test('after a gap in the journal nothing is proven, until the terminal has started again', async () => {
    const said = ["'7': authorized on A", 'expert E (X,M1) loaded successfully', 'automated trading is enabled'];
    const events = said.flatMap((message) => findJournalEvent({ level: 0, time: '', source: '', message }) ?? []);
    const whole = events.reduce(applyEvent, createView({ state: 'connecting', hasPassword: true }));
    const gap = applyEvent(whole, { kind: 'skipped', bytes: 3_000_000 });
    expect(gap).toMatchObject({ experts: [], algoTrading: null, accountTrading: null, skippedBytes: 3_000_000 });
    const wait = (view: typeof gap) =>
      new ViewWaiters(() => ({ view, isAlive: true })).wait(() => true, { timeoutMs: 600_000 });
    await expect(wait(whole)).resolves.toBe(true);
    await expect(wait(gap)).rejects.toMatchObject({
      code: 'E_FILE',
      message: expect.stringContaining('3 MB skipped') as string,
    });
    const facts = { path: '/t', isAlive: true, shouldRun: true, isStopped: false, pinnedBuild: null, dialogs: [] };
    const trading = { trading_allowed: null, trading_reason: null };
    const seen = toTerminalObservation({ ...facts, trading, obstacle: undefined, view: { ...gap, build: 1 } });
    expect(seen?.reason).toContain('3 MB skipped');
    await expect(wait(applyEvent(gap, { kind: 'started', build: 1 }))).resolves.toBe(true);
  });

  test('the roster follows loads, removals and failures, and is reset by a start', () => {
    const load = 'expert E (X,M1) loaded successfully';
    expect(read(connecting, START, load).experts).toHaveLength(1);
    expect(read(connecting, START, load, 'expert E (X,M1) removed').experts).toHaveLength(0);
    const failed = read(
      connecting,
      START,
      load,
      'initializing of E (X,M1) failed with code 0 (y)',
      'expert E (X,M1) removed',
    );
    expect(failed.experts).toHaveLength(0);
    expect(failed.failedExperts).toHaveLength(1);
    expect(read(connecting, START, load, START).experts).toHaveLength(0);
  });
});
