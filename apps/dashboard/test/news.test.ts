/** The bell: what happened often is one line, and hides nothing else. */
import type { UserNotification } from '@berth/client';
import { expect, test } from 'vitest';
import { toLine, toNews } from '../src/shell/news.ts';

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
  const lines = toNews([...notifications, toNotification('HostLost', 'quay-1', 99)], 8).map(toLine);
  expect(lines).toEqual([
    'T2 could not log in to the broker (and 32 more).',
    'Host quay-1 is offline.',
    'T0 is ready (and 65 more).',
  ]);
});

test('of more kinds than are shown those are shown that somebody should look at, the newest first', () => {
  const notifications = ['TaskFailed', 'TerminalReady', 'HostLost'].map((kind, index) =>
    toNotification(kind, 'one', index),
  );
  expect(toNews(notifications, 2).map(({ newest }) => newest.id)).toEqual(['n0', 'n2']);
});
