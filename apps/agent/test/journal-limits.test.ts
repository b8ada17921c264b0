/** What happens to a journal that is larger than what is read of it: nothing is left out without saying so. */
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, SafeDirectory } from '@berth/kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readHistory, readPastErrors } from '../src/platforms/metatrader/journal/history.ts';
import type { JournalEvent } from '../src/platforms/metatrader/journal/journal-events.ts';
import { JournalFollower } from '../src/platforms/metatrader/journal/journal-follower.ts';
import { mt5Journal, type JournalFolder, type JournalForm } from '../src/platforms/metatrader/journal/journal-form.ts';
import { JournalTail } from '../src/platforms/metatrader/journal/journal-tail.ts';

const MEGABYTE = 1024 * 1024;

interface Line {
  level?: number;
  time?: string;
  source?: string;
  message: string;
}
const toBytes = (lines: readonly Line[]): Buffer => {
  const texts = lines.map(({ level = 0, time = '10:00:00.000', source = 'Terminal', message }) =>
    ['AB', level, time, source, message].join('\t'),
  );
  return Buffer.from(texts.map((text) => `${text}\r\n`).join(''), 'utf16le');
};
const say = (...messages: string[]): Buffer => toBytes(messages.map((message) => ({ message })));
/** Lines that say nothing, of about so many bytes. */
const toNoise = (bytes: number): Buffer =>
  say(...Array<string>(Math.ceil(bytes / MEGABYTE)).fill('x'.repeat(MEGABYTE / 2)));

let path: string;
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'berth-journal-')), 'logs');
  await mkdir(path);
});
const holding: SafeDirectory[] = [];
afterEach(async () => {
  for (const held of holding.splice(0)) await held.close();
  await rm(join(path, '..'), { recursive: true, force: true });
});
const hold = async (): Promise<JournalFolder> => {
  const folder = await SafeDirectory.open(path);
  holding.push(folder);
  return { folder, form: mt5Journal };
};

const CRASH = { level: 2, source: 'Rider (EURUSD,H1)', message: "zero divide in 'Rider.mq5' (652,53)" };
const readErrors = async (since: string) => {
  const journal = await hold();
  const form: JournalForm = { ...mt5Journal, findEvent: (line) => mt5Journal.findExpertEvent(line) };
  const { events } = await readPastErrors({ ...journal, form }, since);
  return events.map(({ kind }) => kind);
};

test("the experts' log since the start of a terminal that is read in full shows its errors and no gap", async () => {
  await writeFile(join(path, '20260105.log'), toBytes([CRASH]));
  expect(await readErrors('20260105 09:00:00.000')).toEqual(['program_crashed']);
});

test("the experts' log since the start of a terminal of which only the newest part is read says so, whether that is a part of a day or some of the days", async () => {
  await writeFile(join(path, '20260105.log'), Buffer.concat([toBytes([CRASH]), toNoise(17 * MEGABYTE)]));
  expect(await readErrors('20260105 09:00:00.000')).toEqual(['experts_log_skipped']);
  await writeFile(join(path, '20260105.log'), toBytes([CRASH]));
  await writeFile(join(path, '20260106.log'), Buffer.concat([toNoise(15 * MEGABYTE), toNoise(MEGABYTE)]));
  expect(await readErrors('20260105 09:00:00.000')).toEqual(['experts_log_skipped']);
});

test("the experts' log since the start of a terminal has no gap where what is not read was written before the start", async () => {
  await writeFile(join(path, '20260104.log'), toNoise(MEGABYTE));
  await writeFile(
    join(path, '20260105.log'),
    Buffer.concat([toNoise(17 * MEGABYTE), toBytes([{ ...CRASH, time: '12:00:00.000' }])]),
  );
  expect(await readErrors('20260105 11:00:00.000')).toEqual(['program_crashed']);
});

test("the experts' log since the start of a terminal with more errors than are kept says so", async () => {
  await writeFile(join(path, '20260105.log'), toBytes(Array<Line>(10_001).fill(CRASH)));
  const kinds = await readErrors('20260105 09:00:00.000');
  expect([kinds.length, kinds.at(-1)]).toEqual([10_001, 'experts_log_skipped']);
});

test('a history with more events than are kept says so, unless the terminal has started since', async () => {
  const START = 'MetaTrader 5 x64 build 1 started for A';
  const many = Array<string>(10_001).fill("'1': authorized on A");
  await writeFile(join(path, '20260105.log'), say(START, ...many));
  const { events } = await readHistory(await hold());
  expect([events[0]?.kind, events.at(-1)?.kind]).toEqual(['started', 'skipped']);
  await appendFile(join(path, '20260105.log'), say(START, "'2': authorized on A"));
  expect((await readHistory(await hold())).events.map(({ kind }) => kind)).toEqual(['started', 'authorized']);
  await writeFile(join(path, '20260106.log'), say(...many.slice(2)));
  await appendFile(join(path, '20260105.log'), say(...many.slice(1_000)));
  expect((await readHistory(await hold())).events[0]?.kind).toBe('started');
});

const follow = async (options: { bytes: number; name?: "experts' log" }) => {
  const events: JournalEvent[] = [];
  const said: string[] = [];
  const tail = new JournalTail(await hold());
  const { bytes, ...rest } = options;
  const follower = new JournalFollower({
    ...rest,
    tail,
    onEvents: (more) => events.push(...more),
    log: createLogger({ name: 'journal', destination: { write: (line) => void said.push(line) } }),
    budget: { bytes, ms: 600_000 },
  });
  return { follower, tail, events, said };
};

test('a follower that reads an unfinished line again and again stops at its budget, and says what it skipped', async () => {
  const file = join(path, '20260105.log');
  await writeFile(file, say('MetaTrader 5 x64 build 1 started for A', 'y'.repeat(MEGABYTE / 3)).subarray(0, -4));
  const { follower, tail, events } = await follow({ bytes: 4 * MEGABYTE });
  for (let times = 0; times < 40; times += 1) {
    await appendFile(file, Buffer.from('z', 'utf16le'));
    await follower.catchUp();
  }
  follower.close();
  expect(tail.readBytes).toBeLessThan(6 * MEGABYTE);
  expect(events.map(({ kind }) => kind)).toEqual(['started', 'skipped']);
});

test('a follower names the log of which it skips a part', async () => {
  await writeFile(join(path, '20260105.log'), toNoise(4 * MEGABYTE));
  const { follower, said } = await follow({ bytes: MEGABYTE, name: "experts' log" });
  await follower.catchUp();
  follower.close();
  expect(said.join('')).toContain("a terminal writes more into its experts' log than is read");
});
