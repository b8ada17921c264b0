import { afterEach, expect, test, vi } from 'vitest';
import { createId } from '../src/db/ids.ts';

afterEach(() => void vi.useRealTimers());

const setClock = (at: number) => vi.useFakeTimers({ toFake: ['Date'], now: at });

test('ids are UUIDs of version 7 that begin with the time at which they were made', () => {
  const at = Date.UTC(2100, 0, 1);
  setClock(at);
  const id = createId();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(at);
});

test('each id is greater than the one before it, in one millisecond and after the clock is set back', () => {
  const at = Date.UTC(2101, 0, 1);
  setClock(at);
  const ids = Array.from({ length: 1_000 }, createId);
  setClock(at - 60_000);
  ids.push(...Array.from({ length: 1_000 }, createId));
  setClock(at + 1);
  ids.push(createId());
  expect(ids).toEqual([...new Set(ids)].sort());
});

test('the random ends of ids made in one millisecond have nothing in common', () => {
  setClock(Date.UTC(2102, 0, 1));
  const ends = Array.from({ length: 1_000 }, () => createId().slice(-10));
  expect(new Set(ends).size).toBe(ends.length);
});
