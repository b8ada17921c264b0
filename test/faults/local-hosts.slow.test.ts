/** What becomes of local hosts and their tasks when their server is stopped, or its database is recreated. */
import { TaskStatus, TaskType } from '@berth/contract';
import { useTestStack, createTestDatabase, waitFor, withClient } from '@berth/testing';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TerminalUser } from '../e2e/terminal-user.ts';
import { freezeTerminal } from './frozen.ts';

const TIMEOUT_MS = 600_000;
const SIZE = { width: 320, height: 240 };

const stack = useTestStack({ environment: { BERTH_TIME_PERCENT: '40' } });
let user: TerminalUser;
let terminalId: string;

beforeAll(async () => {
  user = new TerminalUser(stack.url, (await stack.register('Watch')).token);
  const input = { server_name: 'Harbour-Demo', login: '6001', password: 'pass-6001', region: 1 };
  terminalId = (await user.createTerminal(input)).id;
  await user.waitForStatus(terminalId, 'ACTIVE');
}, TIMEOUT_MS);

beforeEach(({ onTestFailed }) => onTestFailed(() => void process.stderr.write(stack.server.output)));

const findTerminalPid = (): number | undefined => stack.processes('terminal')[0]?.pid;

describe('a stop', { timeout: TIMEOUT_MS }, () => {
  it('finishes what runs, refuses what is new, and ends with success', async () => {
    const { path } = await user.getTerminal(terminalId);
    const thaw = freezeTerminal(stack, path);
    const running = await user.createTask(terminalId, 'SCREENSHOT', SIZE);
    const waiting = await user.createTask(terminalId, 'SCREENSHOT', SIZE);
    await waitFor(async () => (await user.getTask(terminalId, running)).status === TaskStatus.RUNNING, {
      what: 'the start',
    });
    stack.server.kill('SIGTERM');
    const create = () =>
      stack.request('POST', `/v1/my/trading/terminals/${terminalId}/tasks`, {
        token: user.token,
        body: { type: TaskType.EA_LOGS },
      });
    const refused = await waitFor(async () => {
      const answer = await create();
      return answer.status === 503 && answer;
    });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await stack.request('GET', '/readyz')).status).toBe(503);
    // Who waits for the end of a task can still read it.
    expect((await user.getTask(terminalId, running)).status).toBe(3);
    thaw();
    expect(await stack.server.ended).toEqual({ code: 0, signal: null });
    expect(stack.processes()).toEqual([]);
    const text = 'select status, attempts from tasks where id = $1';
    const find = (id: string) => withClient(stack.databaseUrl, async (db) => (await db.query(text, [id])).rows[0]);
    expect(await find(running)).toEqual({ status: TaskStatus.COMPLETED, attempts: 1 });
    expect(await find(waiting)).toMatchObject({
      status: expect.toSatisfy((status: number) => status <= TaskStatus.QUEUED),
    });

    await stack.restart();
    expect(await user.waitForEnd(terminalId, waiting)).toMatchObject({ status: TaskStatus.COMPLETED });
  });
});

describe('a database that was recreated', { timeout: TIMEOUT_MS }, () => {
  it('a database that was recreated gets its local hosts back, and the terminals of the lost one end', async () => {
    stack.server.kill('SIGKILL');
    await stack.server.ended;
    expect(findTerminalPid()).toBeDefined();
    const database = await createTestDatabase();
    await stack.restart({ BERTH_DATABASE_URL: database.url });
    await stack.waitForHosts();
    await waitFor(() => findTerminalPid() === undefined, { what: 'an end of a terminal that nobody knows' });
    const guest = new TerminalUser(stack.url, (await stack.register('Guest')).token);
    const { id } = await guest.createTerminal({ server_name: 'Quay', login: '1', password: 'pass-1', region: 1 });
    await guest.waitForStatus(id, 'ACTIVE');
    stack.server.kill('SIGTERM');
    await stack.server.ended;
    await database.close();
  });
});
