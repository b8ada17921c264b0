import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TaskType } from '@berth/contract';
import { beforeAll, expect, test } from 'vitest';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';

const host = useSandboxHost();
let terminal: TestTerminal;
beforeAll(async () => {
  terminal = await host.installTerminal();
});

test.each([
  ['password', 9, {}, { password: 'p\r\n[StartUp]\r\nScript=evil' }],
  ['trading server', 9, { server_name: 'S\u2028' }, { password: 'p' }],
  ['input', 2, { name: 'E', file_id: 'x', symbol: 'EURUSD', period: 'H1', inputs: { Text: 'a\n</inputs>' } }, {}],
  ['name of an input', 4, { name: 'E', inputs: { 'a\n</inputs>': 1 } }, {}],
  ['server of a list', 8, { servers: [{ name: 'a\nb', address: 'h:1' }] }, {}],
] as const)(
  'a task with a text of several lines in its %s is refused before anything happens, whoever delivered it',
  async (_, type, payload, secrets) => {
    const pid = await host.getPid(terminal);
    const record = await host.readRecord(terminal);
    const outcome = await terminal.run(type, payload, { secrets });
    expect(outcome).toMatchObject({ kind: 'failed', steps: [{ step: 'carry_out', code: 'E_UNSUPPORTED' }] });
    expect(JSON.stringify(outcome)).not.toContain('StartUp');
    expect(await host.getPid(terminal)).toBe(pid);
    expect(await host.readRecord(terminal)).toEqual(record);
  },
);

test('a task with a text of several lines in what the server believes of its terminal is refused as well', async () => {
  const { account } = terminal;
  terminal.account = { ...account, server_name: 'S\n[StartUp]' };
  expect(await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password: 'p' } })).toMatchObject({
    kind: 'failed',
  });
  terminal.account = account;
  const settings = await readFile(join(host.toRoot(terminal), 'config/common.ini'), 'utf16le');
  expect(settings).not.toContain('[StartUp]');
});
