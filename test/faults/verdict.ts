/** What must hold once the dust has settled: read from the database and from the trading server's books, not from answers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TaskType, TerminalStatus } from '@berth/contract';
import { MAX_ATTEMPTS, taskCatalogue, taskTransitions, TaskStatus } from '@berth/contract';
import { waitFor, type TestStack } from '@berth/testing';
import { expect } from 'vitest';
import { expectExpertsOnce } from './expert-verdict.ts';
import type { AcceptedTask } from './load.ts';

interface TaskRow {
  id: string;
  terminal_id: string;
  type: TaskType;
  status: TaskStatus;
  attempts: number;
  payload: { server_name?: string; name?: string; file_id?: string };
  result: { runner_result: { data: { login?: string; sha256?: string | null } }[] } | null;
}

interface HistoryRow {
  task_id: string;
  from_status: number | null;
  to_status: number;
  actor: string;
}

/** A lost lease takes 30 s, and up to three attempts may lose one; the machine may be slow. */
const SETTLE_TIMEOUT_MS = 400_000;

/** Waits until no task is open, no lease left, and every terminal ACTIVE. */
export const waitUntilSettled = async (stack: TestStack): Promise<void> => {
  const text = `select
    (select count(*) from tasks where finished_at is null)::int as open,
    (select count(*) from task_leases)::int as leases,
    (select coalesce(string_agg(status || coalesce(' (' || status_reason || ')', ''), ', '), '')
     from terminals where deleted_at is null and status <> ${TerminalStatus.ACTIVE}) as not_active`;
  let last: unknown = 'the database did not answer';
  const isSettled = async () => {
    const [row] = await stack.query<{ open: number; leases: number; not_active: string }>(text).catch(() => []);
    if (row) last = row;
    return row?.open === 0 && row.leases === 0 && row.not_active === '';
  };
  await waitFor(isSettled, { timeoutMs: SETTLE_TIMEOUT_MS, what: 'an end of all tasks' }).catch((error: Error) => {
    throw new Error(`${error.message}; left: ${JSON.stringify(last)}`);
  });
};

const moves = new Set(['>0', ...taskTransitions.map(([from, to]) => `${from}>${to}`)]);

const expectLegal = (task: TaskRow, history: HistoryRow[]): void => {
  const path = history.map(({ to_status: to }) => to);
  const steps = history.map(({ from_status: from, to_status: to }) => `${from ?? ''}>${to}`);
  expect(
    steps.filter((step) => !moves.has(step)),
    `moves of ${task.id}`,
  ).toEqual([]);
  expect(history.map(({ from_status: from }) => from)).toEqual([null, ...path.slice(0, -1)]);
  expect(path.at(-1)).toBe(task.status);
  expect(path.filter((to) => to === TaskStatus.DELIVERED)).toHaveLength(task.attempts);
};

/** Demo accounts by the name of their trading server, from the file in which the trading server keeps them. */
const listDemos = (stack: TestStack): Map<string, string[]> => {
  const lines = readFileSync(join(stack.dataDir, 'sandbox', 'accounts.jsonl'), 'utf8').split('\n');
  const demos = new Map<string, string[]>();
  for (const line of lines) {
    // A trading server that was killed while it wrote leaves half a line, which is no account.
    const account = /\}$/.test(line) && (JSON.parse(line) as { demo: boolean; server: string; login: string });
    if (account && account.demo) demos.set(account.server, [...(demos.get(account.server) ?? []), account.login]);
  }
  return demos;
};

const expectRunOnce = (task: TaskRow, demos: Map<string, string[]>): void => {
  expect(task.attempts).toBeLessThanOrEqual(1);
  const opened = demos.get(task.payload.server_name ?? '') ?? [];
  expect(opened.length, `demo accounts of ${task.id}`).toBeLessThanOrEqual(1);
  if (task.status === TaskStatus.COMPLETED) {
    expect(opened).toEqual([task.result?.runner_result.at(-1)?.data.login]);
  }
};

/** The experts of every terminal, by all of its tasks: what is on its disk may be older than the time that is judged. */
const expectExperts = async (stack: TestStack): Promise<void> => {
  const tasks = await stack.query<TaskRow>(
    `select id, terminal_id, type, status, payload, result from tasks where type in (${TaskType.EA_INSTALL}, ${TaskType.EA_REMOVE}, ${TaskType.EA_UPDATE}) order by seq`,
  );
  const files = await stack.query<{ id: string; sha256: string }>(`select id, sha256 from files where task_id is null`);
  const uploads = new Map(files.map(({ id, sha256 }) => [id, sha256]));
  const terminals = await stack.query<{ id: string; path: string }>(
    `select id, path from terminals where deleted_at is null and path is not null`,
  );
  const byTerminal = new Map<string, TaskRow[]>(terminals.map(({ id }) => [id, []]));
  for (const task of tasks) byTerminal.get(task.terminal_id)?.push(task);
  const certain = terminals.map((terminal) => expectExpertsOnce(terminal, byTerminal.get(terminal.id) ?? [], uploads));
  // Or the verdict would mean nothing.
  if (tasks.length > 0) expect(certain.some((count) => count > 0)).toBe(true);
};

/** How often the service queued a task again: for a stop, perhaps, which is no attempt that failed. */
const countInterruptions = (history: readonly HistoryRow[]): number =>
  history.filter(({ from_status: from, to_status: to, actor }) => {
    return to === TaskStatus.QUEUED && actor === 'service' && from !== null && from > TaskStatus.QUEUED;
  }).length;

/**
 * Holds every task of the stack to the rules: none lost, none stuck, every move legal, none run twice that must not.
 * @param since only tasks that were created from then on
 */
export const expectNothingLost = async (
  stack: TestStack,
  accepted: readonly Pick<AcceptedTask, 'id'>[],
  since = new Date(0),
): Promise<void> => {
  const tasks = await stack.query<TaskRow>(
    `select id, terminal_id, type, status, attempts, payload, result from tasks where created_at >= $1`,
    [since],
  );
  const history = await stack.query<HistoryRow>(
    `select task_id, from_status, to_status, actor from task_history
     where task_id in (select id from tasks where created_at >= $1) order by task_id, id`,
    [since],
  );
  const byTask = new Map<string, HistoryRow[]>(tasks.map(({ id }) => [id, []]));
  for (const row of history) byTask.get(row.task_id)?.push(row);
  const known = new Set(tasks.map(({ id }) => id));
  expect(accepted.filter(({ id }) => !known.has(id))).toEqual([]);
  const demos = listDemos(stack);
  for (const task of tasks) {
    expect(task.status).toBeGreaterThanOrEqual(TaskStatus.COMPLETED);
    expect(task.attempts).toBeLessThanOrEqual(MAX_ATTEMPTS + countInterruptions(byTask.get(task.id) ?? []));
    expect(task.result, `result of ${task.id}`).not.toBeNull();
    expectLegal(task, byTask.get(task.id) ?? []);
    if (!taskCatalogue[task.type].isRepeatable) expectRunOnce(task, demos);
  }
  await expectExperts(stack);
};

/** Connections to the database under this application's name. */
export const countConnections = async (stack: TestStack, name: string): Promise<number> => {
  const text = `select count(*)::int as count from pg_stat_activity where application_name = '${name}'`;
  return (await stack.query<{ count: number }>(text))[0]?.count ?? 0;
};
