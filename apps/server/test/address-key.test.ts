import { expect, it } from 'vitest';
import { toAddressKey } from '../src/api/limits/address-key.ts';

it.each([
  ['an IPv4 address', '192.0.2.7', '192.0.2.7'],
  ['an IPv4 address on an IPv6 socket', '::ffff:192.0.2.7', '192.0.2.7'],
  ['the same in groups', '::FFFF:c000:207', '192.0.2.7'],
  ['an IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['another of its network', '2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['another spelling', '2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['a short one', '::1', '0:0:0:0::/64'],
  ['one with a zone', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['what is no address', 'unix:', 'unix:'],
  ['nothing', '', ''],
  ['a number', '1', '1'],
])('an address has the key of its owner: %s', (_what, ip, key) => expect(toAddressKey(ip)).toBe(key));

it('the addresses of two networks have two keys', () =>
  expect(toAddressKey('2001:db8:1:2::1')).not.toBe(toAddressKey('2001:db8:1:3::1')));
