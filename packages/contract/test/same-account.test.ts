import { expect, it } from 'vitest';
import { isSameAccount, isSameLogin, isSameServerName } from '../src/trading/same-account.ts';

const account = (login: string, server: string) => ({ login, server });
const harbour = account('123456', 'Harbour-Demo');

it.each([
  ['equal', harbour],
  ['leading zeros', account('000123456', 'Harbour-Demo')],
  ['the server in other letters', account('123456', 'HARBOUR-demo')],
  ['the server by its address', account('123456', 'trade.harbour.example:443')],
  ['all of them', account('0123456', '192.0.2.7:1950')],
])('two names of accounts mean the same account: %s', (_, other) => {
  expect([isSameAccount(harbour, other), isSameAccount(other, harbour)]).toEqual([true, true]);
});

it.each([
  ['another login', account('1234560', 'Harbour-Demo')],
  ['a zero within the login', account('1023456', 'Harbour-Demo')],
  ['another server', account('123456', 'Harbour-Live')],
  ['another login at an address', account('123457', 'trade.harbour.example:443')],
  ['a colon without a port', account('123456', 'Harbour: Demo')],
])('two names of accounts mean different accounts: %s', (_, other) => {
  expect([isSameAccount(harbour, other), isSameAccount(other, harbour)]).toEqual([false, false]);
});

it('two names of accounts mean different accounts at two addresses, of which neither is known to be that of the other', () => {
  const [one, other] = [account('1', 'a.example:443'), account('1', 'b.example:443')];
  expect([isSameAccount(one, other), isSameAccount(one, account('01', 'A.example:443'))]).toEqual([false, true]);
});

it('a login of zeros is one, and equals no other login', () => {
  expect([
    isSameLogin('0', '00'),
    isSameLogin('0', '10'),
    isSameServerName('a', 'A '),
    isSameServerName('a', 'b'),
  ]).toEqual([true, false, true, false]);
});
