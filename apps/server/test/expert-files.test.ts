import { TaskType } from '@berth/contract';
import { TestHost, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { findExpertFileFault } from '../src/files/expert-file.ts';

const EX5 = Buffer.from('a compiled program');
const faultOf = (name: string, head: Buffer = EX5, platforms: string[] = ['mt5']) =>
  findExpertFileFault({ name, head, platforms });

/** The shortest beginning that a program of Windows has. */
const WINDOWS_PROGRAM = Buffer.concat([
  Buffer.from('MZ'),
  Buffer.alloc(58),
  Buffer.from([64, 0, 0, 0]),
  Buffer.from('PE\0\0'),
]);
const SOURCE = '//+------------------------------------------------------------------+\n#property strict\n';

it('a file that is given as an expert is refused by its name with what is needed', () => {
  expect(faultOf('Trend.mq5')).toContain('upload the .ex5 file');
  expect(faultOf('Trend.MQ4')).toContain('upload the .ex4 file');
  expect(faultOf('Trend.zip')).toContain('Unpack it');
  for (const name of ['a.mqh', 'a.rar', 'a.7z', 'a.dll', 'a.exe', 'a.set']) expect(faultOf(name), name).toBeDefined();
});

it('a file that is given as an expert is refused by its first bytes, whatever it is called', () => {
  for (const name of ['Trend.ex5', 'Trend', 'Trend.ex5.download']) {
    expect(faultOf(name, Buffer.from('PK\u0003\u0004rest'))).toContain('archive');
    expect(faultOf(name, WINDOWS_PROGRAM)).toContain('program of Windows');
    expect(faultOf(name, Buffer.from(SOURCE))).toContain('source text');
    expect(faultOf(name, Buffer.from(`\ufeff${SOURCE}`, 'utf16le'))).toContain('source text');
    expect(faultOf(name, Buffer.from('<!DOCTYPE html><html>'))).toContain('web page');
  }
});

it('a file that is given as an expert is refused where its ending is that of the other platform, except by the sandbox, which takes both', () => {
  expect(faultOf('Trend.ex4', EX5, ['mt5'])).toContain('Upload the .ex5 file');
  expect(faultOf('Trend.ex5', EX5, ['mt5', 'mt4'])).toContain('Upload the .ex4 file');
  for (const name of ['Trend.ex4', 'Trend.ex5']) expect(faultOf(name, EX5, ['sandbox'])).toBeUndefined();
  expect(faultOf('Trend.ex4', EX5, ['mt4'])).toBeUndefined();
});

it('a file that is given as an expert is taken where nothing is certainly wrong', () => {
  const heads = ['', 'MZ', 'MZ but no header of a program of Windows, only a text that begins like one', 'PK', 'EX-'];
  for (const head of heads) expect(faultOf('Trend.ex5', Buffer.from(head)), head).toBeUndefined();
  expect(faultOf('Trend.ex5', Buffer.from('{"sandbox_expert": 1, "actions": []}'))).toBeUndefined();
  expect(faultOf('Trend.v2', Buffer.alloc(1024, 0xff))).toBeUndefined();
  expect(faultOf('constructor')).toBeUndefined();
});

const server = useTestServer();

it('a task with a file that is no expert for its terminals is refused at once, alone and as a run', async () => {
  const { token } = await server.register('Owner');
  const host = await TestHost.enrol(server, { name: 'expert-files' });
  const terminalId = await server.createTerminal(token);
  await host.installAll();
  await server.query(`update terminals set platform = 'mt5' where id = $1`, [terminalId]);
  const upload = async (name: string) => (await server.upload(token, EX5, name)).body.data.id as string;
  const create = async (fileId: string) => {
    const task = {
      type: TaskType.EA_INSTALL,
      payload: { name: 'Trend', file_id: fileId, symbol: 'EURUSD', period: 'H1' },
    };
    const one = await server.request('POST', `/v1/my/trading/terminals/${terminalId}/tasks`, { token, body: task });
    const many = { ...task, terminal_ids: [terminalId] };
    return [
      one,
      await server.request('POST', '/v1/my/trading/terminals/bulk/tasks', { token, body: many }),
      await server.request('POST', '/v1/my/trading/bulk-runs', { token, body: many }),
    ];
  };
  for (const answer of await create(await upload('Trend.ex4'))) {
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual({ 'payload.file_id': [expect.stringContaining('Upload the .ex5 file')] });
    expect(answer.body.hint).toContain('.ex5 to MetaTrader 5');
  }
  const statuses = (await create(await upload('Trend.ex5'))).map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 200]);
});
