/** What is typed into the search of the audit log, or written into its address. */
import * as contract from '@berth/contract';
import { expect, test } from 'vitest';
import { audit } from '../src/texts/en/audit.ts';
import { toAuditSearch, toTyped } from '../src/parts/audit/search.ts';

const ID = '01a226a4-33f7-73d3-80e9-661d788d13ae';

test.each([
  ['host.drain', { action: 'host.drain' }],
  ['host.', { action: 'host.' }],
  [` ${ID} `, { target: ID }],
  ['42', { target: '42' }],
  ['drain', { text: 'drain' }],
  ['New York', { text: 'New York' }],
  ['ben@example.com', { text: 'ben@example.com' }],
  ['local-1', { text: 'local-1' }],
  ['  ', {}],
])(
  'what is typed into the search of the audit log is a filter, or a text for which nothing is listed: %s',
  (typed, search) => {
    expect(toTyped(typed)).toEqual(search);
  },
);

test.each(['action', 'target', 'actor', 'from', 'to'])(
  'an address of the audit log whose %s is none lists nothing, rather than everything',
  (name) => {
    expect(toAuditSearch({ [name]: 'New York' })).toEqual({ text: 'New York' });
  },
);

test('an address of the audit log may have parameters of others', () => {
  expect(toAuditSearch({ only: 'unread', after: 'x', actor: undefined, target: 42 })).toEqual({ target: '42' });
});

test('each action that a route records can be chosen in the audit log, in words', () => {
  const routes = Object.entries(contract).flatMap(([name, group]) =>
    /Routes$/.test(name) ? Object.values(group) : [],
  );
  const recorded = routes.flatMap((route: { audit?: string }) => route.audit ?? []);
  expect(recorded.length).toBeGreaterThan(50);
  expect(recorded.filter((action) => !(action in audit.actions))).toEqual([]);
});
