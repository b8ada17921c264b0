/** The bell: what happened often is one line, and hides nothing else. */
import type { UserNotification } from '@berth/client';
import { expect, test } from 'vitest';
import { toLine, toNews, toPlace } from '../src/parts/notifications/news.ts';

const toNotification = (kind: string, name: string, index: number): UserNotification => ({
  id: `n${index}`,
  type: `App\\Notifications\\${kind}` as UserNotification['type'],
  data: { name },
  read_at: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  notifiable_id: 'u1',
  notifiable_model: 'App\\Models\\User',
});

test('a hundred of one kind are one line with their number, and successes come after what somebody should look at', () => {
  const kinds = ['TerminalReady', 'TerminalReady', 'TerminalLoginFailed'];
  const notifications = Array.from({ length: 99 }, (_one, index) =>
    toNotification(kinds[index % 3] ?? '', `T${index}`, index),
  );
  const lines = toNews([...notifications, toNotification('HostLost', 'quay-1', 99)]).map(toLine);
  expect(lines).toEqual([
    'T2 could not log in to the broker (and 32 more).',
    'Host quay-1 is offline.',
    '66 terminals are ready.',
  ]);
});

test('what somebody should look at comes first, the newest of it at the head', () => {
  const notifications = ['TaskFailed', 'TerminalReady', 'HostLost'].map((kind, index) =>
    toNotification(kind, 'one', index),
  );
  expect(toNews(notifications).map(({ newest }) => newest.id)).toEqual(['n0', 'n2', 'n1']);
});

test('on the page each failure has a line of its own, and what went well one for each kind', () => {
  const kinds = ['TerminalLoginFailed', 'TerminalReady', 'TerminalLoginFailed', 'TerminalReady', 'TerminalDestroyed'];
  const notifications = kinds.map((kind, index) => toNotification(kind, `T${index}`, index));
  expect(toNews(notifications, { isEach: true }).map(toLine)).toEqual([
    'T0 could not log in to the broker.',
    'T2 could not log in to the broker.',
    '2 terminals are ready.',
    'T4 was deleted.',
  ]);
});

test('a terminal that became ready twice is one terminal', () => {
  const about = { id: 't1', name: 'Quay' };
  const twice = [0, 1].map((index) => ({ ...toNotification('TerminalReady', 'Quay', index), data: about }));
  expect(toNews(twice).map(toLine)).toEqual(['Quay is ready.']);
});

test('a failure leads to its terminal, and what is gone leads nowhere', () => {
  const about = (kind: string) => ({ ...toNotification(kind, 'Quay', 0), data: { id: 't1', name: 'Quay' } });
  const [failed] = toNews([about('TerminalLoginFailed')]).map(toPlace);
  expect(failed).toEqual({ to: '/terminals/$id', params: { id: 't1' } });
  expect(toNews([about('TerminalDestroyed')]).map(toPlace)).toEqual([undefined]);
});
