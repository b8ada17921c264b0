/** Whether the server answers, as requests and the stream tell it. */
import { beforeEach, expect, test } from 'vitest';
import { getPresence, isAway, noteAlive, noteAnswer, noteAway, noteFollowed, notePause } from '../src/data/presence.ts';

const SILENCE_MS = 60_000;
const answer = (status: number) => noteAnswer(new Response(null, { status }), Date.now());

beforeEach(() => {
  notePause();
  noteFollowed();
  noteAlive(SILENCE_MS);
  return notePause;
});

test('after a request that found no server, only an answer ends that, however alive the stream is', () => {
  noteAway();
  noteAlive(SILENCE_MS);
  expect(isAway()).toBe(true);
  answer(503);
  expect(isAway()).toBe(true);
  answer(404);
  expect(isAway()).toBe(false);
});

test('contact was lost when the server was last heard, and later failures change nothing of that', () => {
  const before = Date.now();
  answer(200);
  const heard = Date.now();
  noteAway();
  noteAway(heard + 5_000);
  const { awaySince } = getPresence();
  expect(awaySince).toBeGreaterThanOrEqual(before);
  expect(awaySince).toBeLessThanOrEqual(heard);
});

test('while nobody follows the stream, a request that failed says nothing of those to come', () => {
  notePause();
  noteAway();
  expect(isAway()).toBe(false);
});
