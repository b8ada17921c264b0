/** What an agent writes down of a breach: in its order, over crashes and full disks, within bounds, until the server has it. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GuardRule, ReportedEvidence } from '@berth/contract/agent';
import { MAX_EVIDENCE_BYTES, MAX_EVIDENCE_LINES, MAX_EVIDENCE_LINES_PER_CALL } from '@berth/contract/values';
import { createLogger } from '@berth/kit';
import { afterEach, expect, test } from 'vitest';
import type { WrittenAccount } from '../src/account/accounts.ts';
import { runEvidenceReports } from '../src/host/loops/risk-evidence.ts';
import { toNumbers } from '../src/host/risk-numbers.ts';
import { BreachLog, toWritten } from '../src/risk/evidence/breach-log.ts';
import { EvidenceRecorder } from '../src/risk/evidence/evidence-recorder.ts';
import { openEvidenceStore, type EvidenceStore } from '../src/risk/evidence/evidence-store.ts';
import { ServerError } from '../src/server/server-error.ts';
import type { SentEvidence } from '../src/server/server-calls.ts';
import { createRandom, GuardWorld, TERMINAL } from './support/guard-world.ts';

const log = createLogger({ name: 'evidence', level: 'silent' });
const toRule = (changes: Partial<GuardRule> = {}): GuardRule => ({
  ...{ id: randomUUID(), kind: 'equity_floor', amount: '9500', percent: null, basis: 'balance', trail: 'equity' },
  ...{ trail_stops_at: null, day_starts: '00:00', time_zone: 'UTC', warn_percent: 80, version: 3 },
  ...{ actions: ['close_all', 'trading_off'], ...changes },
});

/** A disk that can be full, in the middle of a line. */
class MemoryDisk implements EvidenceStore {
  readonly files = new Map<string, Buffer>();
  capacity = Infinity;
  list = () => Promise.resolve([...this.files.keys()]);
  read = (id: string) => Promise.resolve(this.files.get(id)!.toString());
  append = (id: string, text: string, offset: number) => {
    const before = (this.files.get(id) ?? Buffer.alloc(0)).subarray(0, offset);
    const after = Buffer.concat([before, Buffer.from(text)]);
    this.files.set(id, after.subarray(0, Math.min(after.length, this.capacity)));
    return after.length > this.capacity ? Promise.reject(new Error('ENOSPC')) : Promise.resolve();
  };
  cut = (id: string, size: number) => Promise.resolve(void this.files.set(id, this.files.get(id)!.subarray(0, size)));
  remove = (id: string) => Promise.resolve(void this.files.delete(id));
  get text(): string {
    return [...this.files.values()].map(String).join('');
  }
}

/** A world whose agent keeps evidence on a disk. */
const openWorld = async (rule: GuardRule, disk: MemoryDisk, changes: Partial<GuardWorld> = {}) => {
  const world = Object.assign(new GuardWorld([rule], createRandom(1)), { refusals: 0, open: 2, ...changes });
  const recorders: EvidenceRecorder[] = [];
  const lives: { isOver: boolean }[] = [];
  world.openEvidence = async (clocks) => {
    // What a killed agent had in memory is not written any more.
    const life = { isOver: false };
    const store: EvidenceStore = {
      ...{ list: disk.list, read: disk.read, cut: disk.cut, remove: disk.remove },
      append: (...given) => (life.isOver ? new Promise<void>(() => undefined) : disk.append(...given)),
    };
    const recorder = await EvidenceRecorder.open({ store, ...clocks, version: '1.2.3', log });
    recorders.push(recorder);
    lives.push(life);
    return recorder;
  };
  await world.start();
  const kill = () => {
    lives.at(-1)!.isOver = true;
    return world.kill();
  };
  return { world, kill, getRecorder: () => recorders.at(-1)! };
};

const parse = (text: string): ReportedEvidence[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ReportedEvidence);
const toBodies = (lines: ReportedEvidence[], kind: string) =>
  lines.filter((line) => line.kind === kind).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
/** Kinds in the order in which each came first. */
const toOrder = (lines: ReportedEvidence[]) => [...new Set(lines.map(({ kind }) => kind))];

/** A server that takes lines as the real one does: of breaches that it has heard of. */
class FakeServer {
  readonly #world: GuardWorld;
  readonly taken: ReportedEvidence[] = [];
  isComplete = false;
  constructor(world: GuardWorld) {
    this.#world = world;
  }
  async deliver(recorder: EvidenceRecorder): Promise<void> {
    for (;;) {
      const chunk = await recorder.take(() => true);
      if (!chunk) return;
      recorder.acknowledge(chunk.breach_id, this.#take(chunk));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  #take({ breach_id: id, lines, is_complete: isComplete }: Omit<SentEvidence, 'sent_at'>): number | null {
    if (id !== this.#world.serverBreaches[0]) return null;
    for (const line of lines) if (line.line === this.taken.length + 1) this.taken.push(line);
    this.isComplete = isComplete;
    return this.taken.length;
  }
}

/** A breach, from a minute before it until a while after it is over. */
const liveThrough = async (world: GuardWorld) => {
  await world.live(90);
  world.equity = 9_400;
  await world.live(20);
  world.equity = 10_000;
  await world.live(80);
};

test('a breach is written down: the rule, what it had measured, a minute before it, the decision, what was done, a minute after it, the end', async () => {
  const disk = new MemoryDisk();
  const rule = toRule();
  const { world } = await openWorld(rule, disk);
  await liveThrough(world);
  const lines = parse(disk.text);
  expect(lines.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1));
  expect(toOrder(lines)).toEqual([
    ...['rule', 'marks', 'numbers', 'decision', 'experts', 'request', 'action', 'switch', 'end'],
  ]);
  expect(lines.at(-1)!.kind).toBe('end');
  expect(toBodies(lines, 'rule')).toEqual([rule]);
  const [decision] = toBodies(lines, 'decision');
  expect(decision).toMatchObject({
    rule_id: rule.id,
    rule_version: 3,
    value: '9400.00',
    limit: '9500.00',
    agent: '1.2.3',
  });
  const decidedAt = decision!.decided_at as number;
  const seen = lines.filter(({ kind }) => kind === 'numbers');
  expect(seen.filter(({ at }) => at <= decidedAt)).toHaveLength(61);
  expect(seen.filter(({ at }) => at > decidedAt)).toHaveLength(60);
  expect(toBodies(lines, 'request')).toHaveLength(2);
  expect(toBodies(lines, 'request')[0]).toEqual({
    ...{ action: 'close_position', ticket: '0', retcode: 10_009, message: 'Done.', order: '0', deal: '0', ms: 5 },
  });
  expect(toBodies(lines, 'action')).toMatchObject([
    { action: 'close_all', ok: true, closed: 2, left: 0 },
    { action: 'trading_off', ok: true },
  ]);
  expect(toBodies(lines, 'switch')).toMatchObject([{ is_on: false, ok: true, message: null }]);
  expect(toBodies(lines, 'end')).toMatchObject([{ phase: 'ended', closed: 2, total: 2, left: 0 }]);
});

test('a report has the sequence, and the prices at which what is open could be closed: the bid of a buy, the ask of a sell', () => {
  const toPosition = (symbol: string, side: string, price: string) => ({
    symbol,
    side,
    price,
    volume: '1',
    ticket: '1',
  });
  const pair = [toPosition('EURUSD', 'buy', '1.04'), toPosition('EURUSD', 'sell', '1.05')];
  const many = Array.from({ length: 40 }, (_, place) => toPosition(`S${place}`, 'buy', '2'));
  const state = {
    sequence: 7,
    at: '2026-06-10T12:00:00.000Z',
    login: '5001',
    positions: [...pair, ...many],
    orders: [],
  };
  const report = toNumbers(state as unknown as WrittenAccount).describeReport?.() as { quotes: Record<string, object> };
  expect(report).toMatchObject({ sequence: 7, written_at: state.at, login: '5001', last_tick_at: null });
  expect(report.quotes.EURUSD).toEqual({ bid: '1.04', ask: '1.05' });
  expect(Object.keys(report.quotes)).toHaveLength(16);
});

test('what was left open is said with its reason, and that a rule went blind and sees again', async () => {
  const disk = new MemoryDisk();
  const { world } = await openWorld(toRule({ actions: ['close_all'] }), disk, { isSessionOpen: false });
  await world.live(3);
  world.equity = 9_400;
  await world.live(3);
  for (let second = 0; second < 20; second += 1) {
    world.show({ isSynchronised: false });
    await world.advance(1_000);
  }
  await world.live(3);
  const lines = parse(disk.text);
  expect(toBodies(lines, 'action')[0]).toMatchObject({ ok: false, left: 2, left_open: [{ message: 'Requote.' }, {}] });
  expect(toBodies(lines, 'blind')).toMatchObject([{ reason: 'not_synchronised' }]);
  expect(toBodies(lines, 'sees')).toHaveLength(1);
});

test('an agent that is killed at any moment of a breach goes on with the same evidence, and the server gets each line once', async () => {
  for (let killAfterMs = 0; killAfterMs <= 4_000; killAfterMs += 400) {
    const disk = new MemoryDisk();
    const { world, kill, getRecorder } = await openWorld(toRule(), disk);
    const server = new FakeServer(world);
    await world.live(5);
    world.equity = 9_400;
    world.show();
    // Before it is on the disk, it is another breach afterwards.
    while (!world.hasOpenBreach) await world.advance(1);
    await world.advance(killAfterMs);
    if (world.serverBreaches.length > 0) await server.deliver(getRecorder());
    await kill();
    const begun = [...disk.files.keys()];
    // The line under way is torn.
    for (const [id, content] of disk.files) disk.files.set(id, Buffer.concat([content, Buffer.from('{"line":9')]));
    await world.start();
    await world.live(10);
    world.equity = 10_000;
    await world.live(80);
    await server.deliver(getRecorder());
    const { taken } = server;
    expect(taken.map(({ line }) => line)).toEqual(taken.map((_, index) => index + 1));
    expect(toBodies(taken, 'decision')).toHaveLength(1);
    if (begun.length > 0) expect(begun).toEqual(world.serverBreaches);
    expect(toBodies(taken, 'resumed')).toEqual([{ agent: '1.2.3' }]);
    expect([taken.at(-1)!.kind, server.isComplete, world.serverBreaches.length]).toEqual(['end', true, 1]);
    expect(disk.files.size).toBe(0);
  }
});

test('a file that was cut at any byte is whole up to its last whole line, and goes on from there', async () => {
  const full = new MemoryDisk();
  const { world } = await openWorld(toRule(), full);
  await world.live(2);
  world.equity = 9_400;
  await world.live(5);
  const [[id, content]] = [...full.files] as [[string, Buffer]];
  for (let size = 0; size <= content.length; size += 7) {
    const disk = new MemoryDisk();
    disk.files.set(id, content.subarray(0, size));
    const written = toWritten(disk.text);
    const again = new BreachLog(id, disk, () => undefined, written);
    again.note('resumed', '{}', 1);
    await again.save();
    const lines = parse(disk.text);
    expect(lines.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1));
    expect(lines).toHaveLength(written.lines + 1);
  }
});

test('a full disk changes nothing of what is done, and what it refused is written when it has room again', async () => {
  const act = async (disk: MemoryDisk) => {
    const opened = await openWorld(toRule(), disk);
    await opened.world.live(5);
    opened.world.equity = 9_400;
    await opened.world.live(10);
    const [report] = opened.world.reports.values();
    return {
      ...opened,
      did: { done: opened.world.done, firstOrderMs: report!.first_order_ms, closed: report!.closed },
    };
  };
  const disk = new MemoryDisk();
  disk.capacity = 700;
  const { world, getRecorder, did } = await act(disk);
  expect(did).toEqual((await act(new MemoryDisk())).did);
  expect([world.open, world.isTradingOn]).toEqual([0, false]);
  const server = new FakeServer(world);
  await server.deliver(getRecorder());
  expect(server.isComplete).toBe(false);
  disk.capacity = Infinity;
  world.equity = 10_000;
  await world.live(80);
  await server.deliver(getRecorder());
  expect(server.isComplete).toBe(true);
  expect(toBodies(server.taken, 'action')).toHaveLength(2);
});

test('a breach has no more lines and bytes than the bounds, its decision and end among them, and says how many were left out', async () => {
  const disk = new MemoryDisk();
  const breach = new BreachLog(randomUUID(), disk, () => undefined);
  const noteMany = (kind: 'numbers' | 'request', count: number, bytes: number) => {
    for (let place = 0; place < count; place += 1) breach.note(kind, JSON.stringify({ x: 'y'.repeat(bytes) }), 1);
  };
  noteMany('numbers', 400, 3_000);
  breach.note('decision', '{}', 1);
  noteMany('request', 2_000, 100);
  breach.note('request', JSON.stringify({ x: 'é'.repeat(3_000) }), 1);
  breach.note('end', '{}', 2);
  breach.note('request', '{}', 3);
  await breach.save();
  const lines = parse(disk.text);
  const bytes = lines.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  expect(lines.length).toBeLessThanOrEqual(MAX_EVIDENCE_LINES);
  expect(bytes).toBeLessThanOrEqual(MAX_EVIDENCE_BYTES);
  expect(toBodies(lines, 'decision')).toHaveLength(1);
  expect(lines.slice(-2).map(({ kind }) => kind)).toEqual(['left_out', 'end']);
  const [{ lines: leftOut } = {}] = toBodies(lines, 'left_out');
  expect(Number(leftOut) + lines.length - 3).toBe(400 + 2_000 + 1);
});

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))));

test('on a real disk what a failed write left behind is overwritten, and a delivered file is gone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-evidence-'));
  folders.push(folder);
  const store = await openEvidenceStore(join(folder, 'evidence'));
  const id = randomUUID();
  await store.append(id, '{"line":1}\n{"li', 0);
  await store.append(id, '{"line":2}\n', 11);
  expect(await store.read(id)).toBe('{"line":1}\n{"line":2}\n');
  expect(await store.list()).toEqual([id]);
  await store.cut(id, 11);
  expect(await store.read(id)).toBe('{"line":1}\n');
  await store.remove(id);
  expect(await readdir(join(folder, 'evidence'))).toEqual([]);
});

/** Runs the loop with a server that answers each call in its turn, until it has no answer left. */
const runLoop = async (answers: (number | null | Error)[]) => {
  const disk = new MemoryDisk();
  const { world, getRecorder } = await openWorld(toRule(), disk);
  await liveThrough(world);
  const [sent, pauses, end] = [[] as SentEvidence[], [] as number[], new AbortController()];
  const timing = {
    ...{ clock: { now: () => 7 }, random: () => 0.5 },
    sleep: (ms: number) => Promise.resolve(void pauses.push(ms)),
  };
  const sendEvidence = async (evidence: SentEvidence) => {
    sent.push(evidence);
    const answer = answers.shift();
    if (answers.length === 0) end.abort();
    if (answer instanceof Error) throw answer;
    return answer ?? null;
  };
  const news = { isKnown: () => true };
  await runEvidenceReports({ server: { sendEvidence }, evidence: getRecorder(), news, timing, log }, end.signal);
  return { sent, pauses, disk };
};

test('a server of before, which does not know the call, is asked again after a while, and nothing is lost', async () => {
  const { sent, pauses, disk } = await runLoop([new ServerError('refused', 'There is no such route.', 'not_found'), 0]);
  expect(sent).toHaveLength(2);
  expect(sent[1]).toEqual(sent[0]);
  expect(pauses[0]).toBe(600_000);
  expect(disk.files.size).toBe(1);
});

test('a server that takes nothing is not asked again at once', async () => {
  const { pauses } = await runLoop([0, 0]);
  expect(pauses).toEqual([2_000, 2_000]);
});

test('lines go in calls of a bounded number, and what the server will never take is removed', async () => {
  const { sent, disk } = await runLoop([MAX_EVIDENCE_LINES_PER_CALL, null]);
  expect(sent.map(({ lines }) => lines[0]!.line)).toEqual([1, MAX_EVIDENCE_LINES_PER_CALL + 1]);
  expect(sent.map(({ is_complete: isComplete }) => isComplete)).toEqual([false, true]);
  expect(sent[0]).toMatchObject({ sent_at: 7, lines: { length: MAX_EVIDENCE_LINES_PER_CALL } });
  await new Promise((resolve) => setImmediate(resolve));
  expect(disk.files.size).toBe(0);
});

test('the evidence of a breach ends when its terminal is gone', async () => {
  const disk = new MemoryDisk();
  const { world } = await openWorld(toRule({ actions: ['close_all'] }), disk, { isSessionOpen: false });
  await world.live(3);
  world.equity = 9_400;
  await world.live(3);
  expect(toBodies(parse(disk.text), 'end')).toEqual([]);
  await world.guard.forget(TERMINAL);
  await world.advance(1_000);
  expect(toBodies(parse(disk.text), 'end')).toMatchObject([{ left: 2 }]);
});

test('evidence waits until the server has heard of its breach', async () => {
  const disk = new MemoryDisk();
  const { world, getRecorder } = await openWorld(toRule(), disk, { isServerAway: true });
  await world.guard.setRules(world.rules);
  await world.live(3);
  world.equity = 9_400;
  await world.live(5);
  const { news } = world.guard;
  expect(await getRecorder().take((id) => news.isKnown(id))).toBeUndefined();
  world.isServerAway = false;
  await world.live(10);
  expect((await getRecorder().take((id) => news.isKnown(id)))?.lines.length).toBeGreaterThan(0);
});
