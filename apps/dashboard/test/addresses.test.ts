/** The parts of a URL may come from anybody: invalid ones are dropped. */
import { TaskType } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import { toAccountSearch } from '../src/pages/account/search.ts';
import { toSignInSearch } from '../src/pages/sign-in/search.ts';
import { toTasksSearch } from '../src/pages/tasks/search.ts';
import { toTerminalsSearch } from '../src/pages/terminals/search.ts';

test.each(['/terminals', '/terminals?page=2&search=a', '/tasks/1#x'])(
  'where one is led after signing in is a page of ours: %s',
  (back) => {
    expect(toSignInSearch({ back })).toEqual({ back });
  },
);

test.each([
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '/a\\..\\evil',
  '/\t/evil.example',
  '/\n/evil.example',
  'javascript:alert(1)',
  'terminals',
  '',
  '/sign-in?back=/sign-in',
  7,
  null,
  ['/terminals'],
])('where one is led after signing in is nothing else: %j', (back) => {
  expect(toSignInSearch({ back })).toEqual({});
});

test('the reason for signing in is one that we know', () => {
  expect(toSignInSearch({ why: 'expired' })).toEqual({ why: 'expired' });
  expect(toSignInSearch({ why: 'You won!' })).toEqual({});
  expect(toSignInSearch({ why: 'constructor' })).toEqual({});
});

test.each([
  [
    { page: 3, search: 'gold' },
    { page: 3, search: 'gold' },
  ],
  [{ search: 50018233 }, { search: '50018233' }],
  [{ page: 1, search: '' }, {}],
  [{ page: -1 }, {}],
  [{ page: 1.5 }, {}],
  [{ page: '2; drop' }, {}],
  [{ page: 1e300, search: { a: 1 } }, {}],
  [
    { status: 'needs-attention', region: 0, sort: 'name', direction: 'desc', create: true },
    { status: 'needs-attention', region: 0, sort: 'name', direction: 'desc', create: true },
  ],
  [{ status: 'constructor', region: -1, sort: 'password', direction: 'up', create: 'true', project: '../x' }, {}],
  [{ search: 'x'.repeat(10_000) }, { search: 'x'.repeat(255) }],
])('the address of the list of terminals of %j means %j', (given, meant) => {
  expect(toTerminalsSearch(given)).toEqual(meant);
});

describe('the address of the list of tasks', () => {
  test.each([
    [
      { status: 'failed', type: 'SCREENSHOT' },
      { status: 'failed', type: 'SCREENSHOT' },
    ],
    [
      { terminal: 't', project: 'p', task: 'a', of: 't', page: 2 },
      { terminal: 't', project: 'p', task: 'a', of: 't', page: 2 },
    ],
    [{ status: 'constructor', type: 'toString', page: -1 }, {}],
    [{ status: ['failed'], type: TaskType.SCREENSHOT, terminal: '', task: null }, {}],
  ])('%j is read as %j', (search, read) => {
    expect(toTasksSearch(search)).toEqual(read);
  });
});

describe('the address of the account', () => {
  test.each([
    [
      { tab: 'tokens', page: 3 },
      { tab: 'tokens', page: 3 },
    ],
    [
      { tab: 'notifications', only: 'unread' },
      { tab: 'notifications', only: 'unread' },
    ],
    [{ tab: '__proto__', only: 'all', page: '2' }, {}],
  ])('%j is read as %j', (search, read) => {
    expect(toAccountSearch(search)).toEqual(read);
  });
});
