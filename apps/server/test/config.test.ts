import { expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';

const isOpen = (environment: Record<string, string>): boolean => readConfig(environment, '/data').isRegistrationOpen;

test('registration is open by default only where nobody but this machine reaches the server', () => {
  const proxied = { BERTH_PUBLIC_URL: 'https://berth.example.com' };
  expect(isOpen({})).toBe(true);
  expect(isOpen({ BERTH_HOST: '::1' })).toBe(true);
  expect(isOpen({ BERTH_HOST: '0.0.0.0' })).toBe(false);
  expect(isOpen(proxied)).toBe(false);
  expect(isOpen({ ...proxied, BERTH_REGISTRATION: 'open' })).toBe(true);
  expect(isOpen({ BERTH_REGISTRATION: 'closed' })).toBe(false);
});

test('calls to addresses of users may be let into networks, and through a proxy, which are checked at the start', () => {
  const read = (environment: Record<string, string>) => readConfig(environment, '/data').outbound;
  expect(read({})).toEqual({ allow: [], proxyUrl: undefined });
  expect(
    read({
      BERTH_OUTBOUND_ALLOW: '192.168.7.0/24, fd00:7::1',
      BERTH_OUTBOUND_PROXY: 'http://ada:hidden@proxy.lan:3128',
    }),
  ).toEqual({ allow: ['192.168.7.0/24', 'fd00:7::1'], proxyUrl: 'http://ada:hidden@proxy.lan:3128' });
  for (const allow of ['intranet', '10.0.0.0/33', '127.1', 'fe80::1%eth0', '10.0.0.0/8/8'])
    expect(() => read({ BERTH_OUTBOUND_ALLOW: allow })).toThrow('BERTH_OUTBOUND_ALLOW must be addresses or networks');
  for (const proxy of ['proxy.lan:3128', 'https://proxy.lan', 'http://ada:hidden@proxy.lan/path', 'socks5://proxy']) {
    const error = (() => {
      try {
        return read({ BERTH_OUTBOUND_PROXY: proxy });
      } catch (cause) {
        return String(cause);
      }
    })();
    expect(error).toMatch('BERTH_OUTBOUND_PROXY must be the URL of an HTTP proxy');
    expect(error).not.toMatch('hidden');
  }
});
