/** What the first lines of a start tell its operator. */
import { expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { toBanner } from '../src/console/banner.ts';

const operator = { email: 'operator@berth.local', password: undefined, signInCode: undefined };
const read = (environment: Record<string, string>, database?: { home: string; reason: string | undefined }): string =>
  toBanner(
    { url: 'http://127.0.0.1:4000', operator, database },
    readConfig({ BERTH_DATA_DIR: '/data', ...environment }, '/data'),
  );

it('A start says in one line that accounts have no limits, only where everyone can make one and none are set', () => {
  expect(read({ BERTH_REGISTRATION: 'open' })).toMatch(/^ {2}Limits +none: .* BERTH_TERMINAL_LIMITS/m);
  expect(read({ BERTH_REGISTRATION: 'open', BERTH_TERMINAL_LIMITS: '0=3' })).not.toContain('BERTH_TERMINAL_LIMITS');
  expect(read({ BERTH_REGISTRATION: 'closed' })).not.toContain('BERTH_TERMINAL_LIMITS');
});

it('A start says where mails go while no server for them is set', () => {
  expect(read({})).toContain('/data/mail; BERTH_SMTP_URL');
  expect(read({ BERTH_SMTP_URL: 'smtp://mail.example.com' })).not.toContain('BERTH_SMTP_URL');
});

it('A start says in one line where its database lies and why, where that is not in the data directory', () => {
  const home = '/var/lib/berth/0123456789ab';
  expect(read({}, { home, reason: 'it was made there' })).toContain(`\n  Database   ${home}: it was made there\n`);
  expect(read({}, { home: '/data/postgres', reason: undefined })).not.toContain('Database');
});
