import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TaskType } from '@berth/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AttemptLedger, type AttemptEntry } from '../src/attempts/attempt-ledger.ts';
import { AttemptJournal, systemFiles, type DurableFiles } from '../src/attempts/attempt-journal.ts';
import { useFolder } from './support/use-folder.ts';

let folder: string;
let path: string;
useFolder((created) => {
  folder = created;
  path = join(folder, 'journal');
});

const accepted = (taskId: string, fence = 1): AttemptEntry => ({
  kind: 'accepted',
  taskId,
  fence,
  type: TaskType.MARKET_WATCH_SHOW_ALL,
  terminalId: 'terminal',
});
const finished = (taskId: string, fence = 1): AttemptEntry => ({
  kind: 'finished',
  taskId,
  fence,
  end: { kind: 'completed', steps: [], atMs: 1 },
});

const entry = fc
  .record({ taskId: fc.constantFrom('a', 'b', 'c'), fence: fc.integer({ min: 1, max: 3 }) })
  .chain((key) =>
    fc.constantFrom<AttemptEntry>(
      accepted(key.taskId, key.fence),
      { kind: 'started', ...key },
      finished(key.taskId, key.fence),
      { kind: 'acknowledged', ...key },
    ),
  );
const toLedger = (entries: AttemptEntry[]): AttemptLedger => {
  const ledger = new AttemptLedger();
  for (const each of entries) ledger.apply(each);
  return ledger;
};

test('the ledger is rebuilt exactly from its own shortest history', () => {
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const ledger = toLedger(entries);
      expect(toLedger(ledger.toEntries()).list()).toEqual(ledger.list());
    }),
  );
});

test('the ledger is the same when notes that a compaction already counted are written once more', () => {
  const note = entry.filter(({ kind }) => kind === 'started' || kind === 'acknowledged');
  fc.assert(
    fc.property(fc.array(entry), fc.array(note), (entries, notes) => {
      const ledger = toLedger([...entries, ...notes]);
      expect(toLedger([...ledger.toEntries(), ...notes]).list()).toEqual(ledger.list());
    }),
  );
});

test('the ledger knows only the newest attempt of a task', () => {
  const ledger = toLedger([accepted('a', 2), finished('a', 2), accepted('a', 3), accepted('a', 1), finished('a', 2)]);
  expect(ledger.list()).toMatchObject([{ taskId: 'a', fence: 3, isStarted: false }]);
  expect(ledger.find('a')?.end).toBeUndefined();
});

test('the journal returns what was appended after it is reopened', async () => {
  const journal = await AttemptJournal.open({ path });
  await journal.append([accepted('a'), accepted('b')]);
  journal.note({ kind: 'started', taskId: 'a', fence: 1 });
  await journal.append([finished('a')]);
  await journal.close();
  const again = await AttemptJournal.open({ path });
  expect(again.ledger.list()).toEqual(journal.ledger.list());
  expect(again.droppedLines).toBe(0);
  await again.close();
});

test('the journal is readable for its owner only', async () => {
  await (await AttemptJournal.open({ path })).close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a journal that is torn at any byte keeps every whole line and drops the torn one', async () => {
  const journal = await AttemptJournal.open({ path });
  const entries = [accepted('a'), accepted('b'), finished('a'), accepted('ü')];
  for (const each of entries) await journal.append([each]);
  await journal.close();
  const whole = readFileSync(path);
  for (let length = 0; length <= whole.length; length += 1) {
    writeFileSync(path, whole.subarray(0, length));
    const torn = await AttemptJournal.open({ path });
    const lines = whole.subarray(0, length).filter((byte) => byte === 10).length;
    expect(torn.ledger.list()).toEqual(toLedger(entries.slice(0, lines)).list());
    await torn.append([accepted('after')]);
    await torn.close();
    const later = await AttemptJournal.open({ path });
    expect(later.ledger.find('after')).toBeDefined();
    expect(later.droppedLines).toBe(0);
    await later.close();
  }
});

test('the journal drops a damaged line in the middle and keeps its neighbours', async () => {
  const journal = await AttemptJournal.open({ path });
  await journal.append([accepted('a'), accepted('b'), accepted('c')]);
  await journal.close();
  writeFileSync(path, readFileSync(path, 'utf8').replace('"b"', '"x"'));
  const damaged = await AttemptJournal.open({ path });
  expect(damaged.droppedLines).toBe(1);
  expect(damaged.ledger.list().map(({ taskId }) => taskId)).toEqual(['a', 'c']);
  await damaged.close();
});

test('a crash between the write and the acknowledgement leaves the end to be reported again', async () => {
  const journal = await AttemptJournal.open({ path });
  await journal.append([accepted('a')]);
  await journal.append([finished('a')]);
  journal.note({ kind: 'acknowledged', taskId: 'a', fence: 1 });
  // The process dies here: the noted acknowledgement was never written.
  const next = await AttemptJournal.open({ path });
  expect(next.ledger.find('a')?.end).toMatchObject({ kind: 'completed' });
  await next.close();
  await journal.close();
});

test('the journal keeps what it promised after a write that failed halfway and could not be undone', async () => {
  let isBroken = false;
  const refuse = () => Promise.reject(new Error('the disk is full'));
  const files: DurableFiles = {
    ...systemFiles,
    replaceAndOpen: async (...given) => {
      const file = await systemFiles.replaceAndOpen(...given);
      return {
        appendFile: async (text) => {
          await file.appendFile(isBroken ? text.slice(0, 20) : text);
          if (isBroken) await refuse();
        },
        datasync: () => file.datasync(),
        truncate: (sizeBytes) => (isBroken ? refuse() : file.truncate(sizeBytes)),
        close: () => file.close(),
      };
    },
  };
  const journal = await AttemptJournal.open({ path, files });
  isBroken = true;
  await expect(journal.append([accepted('refused')])).rejects.toThrow('the disk is full');
  isBroken = false;
  await journal.append([accepted('promised')]);
  await journal.close();
  const again = await AttemptJournal.open({ path });
  expect(again.ledger.list().map(({ taskId }) => taskId)).toEqual(['promised']);
  await again.close();
});

test('the journal stays small and complete while it compacts under concurrent appends', async () => {
  const journal = await AttemptJournal.open({ path, compactAfterBytes: 2_000 });
  const runAttempt = async (taskId: string) => {
    await journal.append([accepted(taskId)]);
    journal.note({ kind: 'started', taskId, fence: 1 });
    await journal.append([finished(taskId)]);
    if (!taskId.startsWith('kept')) journal.note({ kind: 'acknowledged', taskId, fence: 1 });
  };
  const ids = Array.from({ length: 300 }, (_, index) => (index % 100 === 0 ? `kept-${index}` : `task-${index}`));
  for (let index = 0; index < ids.length; index += 20) {
    await Promise.all(ids.slice(index, index + 20).map(runAttempt));
  }
  await journal.close();
  expect(statSync(path).size).toBeLessThan(15_000);
  const again = await AttemptJournal.open({ path });
  const kept = again.ledger.list().map(({ taskId }) => taskId);
  expect(kept.sort()).toEqual(['kept-0', 'kept-100', 'kept-200']);
  await again.close();
});
