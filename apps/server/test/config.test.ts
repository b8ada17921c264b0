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
