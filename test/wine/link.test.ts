// @module-tag wine
/** The link program's own source, as a service of the stand-in under Wine, against the ledger of the sandbox's broker. */
import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SandboxPhone, waitFor, type PhoneRequest } from '@berth/testing';
import { expect, it } from 'vitest';
import { address, Folder, loginFile, SERVER, toUtf16, useStandInDesktop } from './support/stand-in-folder.ts';
import { buildLinkProgram, linkProgram } from './support/windows-programs.ts';

useStandInDesktop();

const LOGIN = '5771';
const SERVICE = 'MQL5/Services/Berth/BerthLink.ex5';

interface AccountFile {
  sequence: number;
  is_synchronized: boolean;
  positions_total: number;
  last_deal: string | null;
  positions: { ticket: string; [name: string]: unknown }[];
  [name: string]: unknown;
}

const OPEN: PhoneRequest = {
  action: 'open',
  symbol: 'EURUSD',
  side: 'buy',
  volume: '0.10',
  magic: '7',
  comment: 'of the test',
};

it('the link program reports what the broker’s ledger has, closes a position by a command, and lists the deals without a gap', async () => {
  buildLinkProgram();
  const folder = new Folder();
  const exchange = (name: string): string => join(folder.path, 'MQL5/Files/Berth', name);
  const read = <Content>(name: string): Content | undefined =>
    existsSync(exchange(name)) ? (JSON.parse(readFileSync(exchange(name), 'utf8')) as Content) : undefined;
  const account = (fits: (file: AccountFile) => boolean, what: string): Promise<AccountFile> =>
    waitFor(
      () => {
        const file = read<AccountFile>('account.json');
        return file && fits(file) ? file : undefined;
      },
      { what, timeoutMs: 60_000 },
    );
  mkdirSync(dirname(join(folder.path, SERVICE)), { recursive: true });
  copyFileSync(linkProgram, join(folder.path, SERVICE));
  folder.write(
    'config/services.ini',
    toUtf16(
      '<service>\nname=BerthLink\npath=Services\\Berth\\BerthLink.ex5\nenabled=1\n<inputs>\n</inputs>\n</service>\n',
    ),
  );
  const start = folder.config(loginFile(LOGIN, 'trade-me', '[Experts]\nEnabled=1\nAllowLiveTrading=1\nAccount=0\n'));
  const process = folder.start(start);
  await folder.waitFor("service 'BerthLink' loaded successfully");
  await folder.waitFor(/Berth link [\d.]+ \(service\) runs/, 'MQL5/Logs');
  const fresh = await account((file) => file.is_synchronized, 'a synchronised account');
  expect(fresh).toMatchObject({ login: LOGIN, server: SERVER, kind: 'service', positions: [], trading_allowed: true });
  expect(fresh).toMatchObject({ balance: '10000.00', equity: '10000.00', currency: 'USD', margin_mode: 'hedging' });
  const phone = await SandboxPhone.logIn(address, { server: SERVER, login: LOGIN, password: 'trade-me' });
  expect(await phone.trade(OPEN)).toMatchObject({ retcode: 10009 });
  const open = await account((file) => file.positions_total === 1, 'the position');
  expect(open.positions[0]).toMatchObject({
    symbol: 'EURUSD',
    side: 'buy',
    volume: '0.10',
    magic: '7',
    comment: 'of the test',
  });
  expect(Date.parse(open.positions[0]?.opened_at as string)).toBeLessThanOrEqual(Date.now() + 60_000);
  expect(Date.now() - Date.parse(open.positions[0]?.opened_at as string)).toBeLessThan(600_000);
  const id = randomUUID();
  const command = {
    v: 1,
    id,
    login: LOGIN,
    server: SERVER,
    sent_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 120_000).toISOString(),
    action: 'close_position',
    ticket: open.positions[0]?.ticket,
  };
  folder.write(`MQL5/Files/Berth/commands/${id}.json`, JSON.stringify(command));
  const answer = await waitFor(() => read<Record<string, unknown>>(`answers/${id}.json`), { what: 'the answer' });
  expect(answer).toMatchObject({ id, retcode: 10009 });
  const closed = await account(
    (file) => file.positions_total === 0 && file.last_deal === answer.deal,
    'the closed account',
  );
  expect(closed.sequence).toBeGreaterThan(open.sequence);
  const request = { v: 1, login: LOGIN, server: SERVER, after: null, from: null };
  folder.write('MQL5/Files/Berth/deals-request.json', JSON.stringify(request));
  const { deals, is_complete } = await waitFor(
    () => read<{ deals: Record<string, string>[]; is_complete: boolean }>('deals.json'),
    { what: 'the deals' },
  );
  expect(is_complete).toBe(true);
  expect(deals.map(({ type, side, entry, out_by }) => `${type} ${side} ${entry} ${out_by}`)).toEqual([
    'balance balance in null',
    'trade buy in null',
    'trade sell out expert',
  ]);
  const toCents = (text: string | undefined): number => Math.round(Number(text) * 100);
  const sum = deals.reduce(
    (total, { profit, commission, fee, swap }) =>
      [profit, commission, fee, swap].reduce((amount, text) => amount + toCents(text), total),
    0,
  );
  expect(sum).toBe(toCents(closed.balance as string));
  phone.close();
  await folder.stop(process);
});
