import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Journal, type JournalOptions } from '../src/terminal/journal.ts';
import { waitFor } from '@berth/testing/wait-for';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bs-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = (options: Partial<JournalOptions> = {}): Journal =>
  new Journal({ root, folder: 'logs', encoding: 'utf-16le', toText: ({ message }) => message, flushMs: 0, ...options });

const read = (file: string): Buffer => readFileSync(join(root, 'logs', file));

test('a line belongs to the local day on which it was printed, also when both are flushed together', () => {
  let now = new Date(2026, 0, 31, 23, 59, 59, 999);
  const journal = open({ now: () => now, flushMs: 60_000 });
  journal.print('A', 'before midnight');
  now = new Date(2026, 1, 1, 0, 0, 0, 0);
  journal.print('A', 'after midnight');
  journal.close();
  expect(readdirSync(join(root, 'logs')).sort()).toEqual(['20260131.log', '20260201.log']);
  expect(read('20260131.log').toString('utf16le')).toBe('\ufeffbefore midnight\r\n');
  expect(read('20260201.log').toString('utf16le')).toBe('\ufeffafter midnight\r\n');
});

test('the byte order mark stands once, at the start of the file, however often it is opened', () => {
  const now = () => new Date(2026, 0, 1);
  for (const message of ['one', 'two']) {
    const journal = open({ now });
    journal.print('A', message);
    journal.close();
  }
  expect(read('20260101.log').toString('utf16le')).toBe('\ufeffone\r\ntwo\r\n');
});

test('lines wait in memory until the flush', () => {
  const journal = open({ flushMs: 60_000 });
  journal.print('A', 'waits');
  expect(readdirSync(root)).toEqual([]);
  journal.close();
  expect(readdirSync(join(root, 'logs'))).toHaveLength(1);
});

test('a line that is written in two pieces is whole in the end', async () => {
  const journal = open({ partialLines: true, flushMs: 30, now: () => new Date(2026, 0, 1) });
  journal.print('A', 'a long line');
  const sizes = new Set<number>();
  await waitFor(
    () => {
      const file = readdirSync(root).length > 0 ? read('20260101.log') : Buffer.alloc(0);
      sizes.add(file.length);
      return file.toString('utf16le').endsWith('\r\n');
    },
    { what: 'the second piece' },
  );
  expect(read('20260101.log').toString('utf16le')).toBe('\ufeffa long line\r\n');
  expect(sizes.size).toBeGreaterThan(2);
  journal.close();
});
