/** Texts of hosts that are cut where a character has two halves: they are stored, without either of them. */
import { TaskType, TerminalStatus } from '@berth/contract';
import { TestHost, toStep, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer();
let host: TestHost;
let token: string;
let path: string;
let terminalId: string;

beforeAll(async () => {
  host = await TestHost.enrol(server);
  ({ token } = await server.register('Owner'));
  terminalId = await server.createTerminal(token);
  path = `/v1/my/trading/terminals/${terminalId}`;
  await host.installAll();
});

it('a reason that grows behind its cut is stored', async () => {
  for (const [index, prefix] of ['', 'a', 'x://', 'xy://'].entries()) {
    const reason = `${prefix}${'😀'.repeat(248)}`;
    const event = { kind: 'terminal', at: 10 + index, terminal_id: terminalId } as const;
    expect(await host.report({ ...event, status: TerminalStatus.DISCONNECTED, reason })).toEqual(['accepted']);
    const shown = (await server.request('GET', path, { token })).body.data.status_reason as string;
    expect([shown.isWellFormed(), shown.includes('\uFFFD'), shown.length > 490]).toEqual([true, false, true]);
  }
});

it("a step's message, and a line of a log, that are too long are stored as far as they fit", async () => {
  for (const prefix of ['', 'a']) {
    const order = { token, body: { type: TaskType.EA_LOGS } };
    const created = await server.request('POST', `${path}/tasks`, order);
    const [task] = await host.claim();
    expect(task?.id).toBe(created.body.data.id);
    const message = `${prefix}x://${'😀'.repeat(997)}`;
    const data = { lines: [`${prefix}${'😀'.repeat(131_073)}`], source: 'experts', truncated: false };
    const end = { kind: 'completed', at: 1, task_id: task!.id, fence: task!.fence } as const;
    expect(await host.report({ ...end, steps: [toStep({ message, data })] })).toEqual(['accepted']);
    const { task: shown } = (await server.request('GET', `${path}/tasks/${task!.id}`, { token })).body.data;
    const [step] = shown.result.runner_result;
    const [line] = step.data.lines;
    expect([step.message, line].map((text: string) => text.isWellFormed())).toEqual([true, true]);
    expect([step.message.length > 1_990, line.length > 262_140]).toEqual([true, true]);
  }
});
