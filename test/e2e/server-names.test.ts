/** Troubles of real terminals, each asked for by the name of a server, through the whole service. */
import { TerminalStatus } from '@berth/contract';
import { startTestStack, waitFor, type TestStack } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TerminalUser } from './terminal-user.ts';

let stack: TestStack;
let user: TerminalUser;
beforeAll(async () => {
  stack = await startTestStack();
  user = new TerminalUser(stack.url, (await stack.register('Server Names')).token);
});
afterAll(() => stack?.close());

const create = async (serverName: string): Promise<string> => {
  const { id } = await user.createTerminal({ server_name: serverName, login: '5001', password: 'trade-me' });
  return id;
};
const readJournal = async (id: string): Promise<string> =>
  JSON.stringify((await user.run(id, 'EA_LOGS', { source: 'journal', lines: 200 })).data);
const waitForLine = (id: string, text: string): Promise<unknown> =>
  waitFor(async () => (await readJournal(id)).includes(text), { what: `the line ${text}`, timeoutMs: 120_000 });

describe.concurrent('a terminal of a server whose name asks for it', () => {
  it('(Switching) changes its access point, and is there again', async () => {
    const id = await create('Switching-Demo');
    await user.waitForStatus(id, 'ACTIVE');
    await waitForLine(id, 'authorized on Switching-Demo through Access Point 2');
    await user.waitForStatus(id, 'ACTIVE');
    expect(await readJournal(id)).toContain('connection to Switching-Demo lost');
  });

  it('(Allocated) is given another demo account, and is not taken for the one that was asked for', async () => {
    const id = await create('Allocated-Demo');
    const { status_reason } = await user.waitForStatus(id, 'LOGIN_FAILED');
    expect(status_reason).toContain('Another account is logged in: 90005001 on Allocated-Demo, not 5001 on');
    expect(await readJournal(id)).toContain("demo account '90005001' was allocated on Allocated-Demo");
  });

  it('(Expired) is let in, never synchronised, and says that its password must be changed', async () => {
    const id = await create('Expired-Demo');
    await waitForLine(id, 'master password must be changed');
    const { status_reason } = await user.waitForStatus(id, 'LOGIN_FAILED');
    expect(status_reason).toContain('wants the password of this account to be changed');
    expect(await readJournal(id)).not.toContain('synchronized');
  });

  it('(Wiped) loses its saved account at the next start, and takes it again by ACCOUNT_LOGIN', async () => {
    const id = await create('Wiped-Demo');
    await user.waitForStatus(id, 'ACTIVE');
    // A helper script restarts the terminal.
    await user.waitForEnd(id, await user.createTask(id, 'MARKET_WATCH_SHOW_ALL'));
    await waitForLine(id, 'deleted due security reason');
    await user.run(id, 'ACCOUNT_LOGIN', { server_name: 'Wiped-Demo', login: '5001', password: 'trade-me' });
    await user.waitForStatus(id, 'ACTIVE');
  });

  it('(Late) is ACTIVE when the line about its login has come to the disk, however late', async () => {
    const id = await create('Late-Demo');
    const isActive = async () => (await user.getTerminal(id)).status === TerminalStatus.ACTIVE;
    await waitFor(isActive, { what: 'the late login', timeoutMs: 120_000 });
    expect(await readJournal(id)).toContain("'5001': authorized on Late-Demo");
  });

  it('(Dialog) names the dialog that stands in the way of a task', async () => {
    const id = await create('Dialog-Demo');
    await user.waitForStatus(id, 'ACTIVE');
    const task = await user.waitForEnd(
      id,
      await user.createTask(id, 'OPTIONS_WEB_REQUEST', { url: 'https://api.example.com' }),
    );
    expect(JSON.stringify(task.result)).toContain('A dialog stands open in the terminal: \\"Login');
  });
});
