/** What a host answers when it is asked on which terminals algo trading could be turned off. */
import { randomUUID } from 'node:crypto';
import { MAX_SWITCH_CHECKS, type SwitchCheck } from '@berth/contract';
import { createLogger, systemClock, type Timing } from '@berth/kit';
import { waitFor } from '@berth/testing/wait-for';
import { afterEach, describe, expect, test } from 'vitest';
import { SwitchChecks } from '../src/host/loops/switch-checks.ts';
import { ServerConnection } from '../src/server/server-connection.ts';
import { ServerTransport } from '../src/server/server-transport.ts';
import { useAgent, type AgentUnderTest } from './support/agent-under-test.ts';
import { SleepTerminal } from './support/sleep-terminals.ts';
import { aTask, aTerminal } from './support/tasks.ts';

type Check = () => Promise<string | null>;

/** The checks of a host in a time that passes only when a test says so. */
class World {
  readonly terminals = new Map<string, Check>();
  /** Ids, in the order in which their checks began. */
  readonly begun: string[] = [];
  readonly reports: SwitchCheck[][] = [];
  /** What reports are answered with. */
  refusal: Error | undefined;
  log = '';
  #nowMs = 0;
  #running = 0;
  mostAtOnce = 0;
  readonly #sleepers = new Set<{ untilMs: number; wake: () => void }>();
  readonly #ending = new AbortController();
  readonly checks: SwitchChecks;
  readonly #done: Promise<void>;

  constructor(slots: number) {
    const timing: Timing = {
      clock: systemClock,
      random: () => 0,
      sleep: (ms, signal) =>
        new Promise((wake) => {
          const sleeper = { untilMs: this.#nowMs + ms, wake };
          this.#sleepers.add(sleeper);
          signal?.addEventListener('abort', () => {
            this.#sleepers.delete(sleeper);
            wake();
          });
        }),
    };
    this.checks = new SwitchChecks({
      server: { reportChecks: (checks) => this.#take(checks) },
      keeper: { find: (id) => this.#find(id) },
      slots,
      timing,
      elapsedMs: () => this.#nowMs,
      log: createLogger({ name: 'agent', level: 'debug', destination: { write: (line) => void (this.log += line) } }),
    });
    this.#done = this.checks.run(this.#ending.signal);
  }

  get reported(): SwitchCheck[] {
    return this.reports.flat();
  }

  /** A terminal whose check takes until the returned function is called. */
  addHeld(id: string): (problem?: string | null) => void {
    let end = (_problem: string | null): void => undefined;
    const held = new Promise<string | null>((resolve) => (end = resolve));
    this.terminals.set(id, () => held);
    return (problem = null) => end(problem);
  }

  pass(ms: number): void {
    this.#nowMs += ms;
    for (const { untilMs, wake } of this.#sleepers) if (untilMs <= this.#nowMs) wake();
  }

  waitForBegun = (count: number) => waitFor(() => this.begun.length >= count, { what: `${count} checks` });
  waitForReported = (count: number) => waitFor(() => this.reported.length >= count, { what: `${count} results` });

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#done;
  }

  async #take(checks: SwitchCheck[]): Promise<void> {
    this.reports.push(checks);
    if (this.refusal) throw this.refusal;
  }

  #find(id: string): SleepTerminal | undefined {
    const check = this.terminals.get(id);
    return check && new SleepTerminal(id, '/nowhere', { checkSwitch: () => this.#check(id, check) });
  }

  async #check(id: string, check: Check): Promise<string | null> {
    this.begun.push(id);
    this.#running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#running);
    try {
      return await check();
    } finally {
      this.#running -= 1;
    }
  }
}

describe('checks of the switch', () => {
  let world: World;
  const open = (slots: number) => (world = new World(slots));
  afterEach(() => world.close());

  test('checks of the switch are timed from the request, with the wait for a slot, and leave out terminals of other hosts', async () => {
    const { checks } = open(1);
    const [endOne, endTwo] = [world.addHeld('one'), world.addHeld('two')];
    checks.ask(['one', 'stranger', 'two']);
    await world.waitForBegun(1);
    world.pass(300);
    endOne();
    await world.waitForBegun(2);
    world.pass(200);
    endTwo('It shows a dialog.');
    await world.waitForReported(2);
    expect(world.reports).toEqual([
      [
        { terminal_id: 'one', ms: 300, problem: null },
        { terminal_id: 'two', ms: 500, problem: 'It shows a dialog.' },
      ],
    ]);
  });

  test('run as many at once as tasks could, and no more', async () => {
    const { checks } = open(2);
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const ends = ids.map((id) => world.addHeld(id));
    checks.ask(ids);
    for (const [at, end] of ends.entries()) {
      await world.waitForBegun(Math.min(at + 2, ids.length));
      end();
    }
    await world.waitForReported(5);
    expect([world.mostAtOnce, world.begun]).toEqual([2, ids]);
  });

  test('checks of the switch that take too long are said to, hold up no other, and are not begun a second time', async () => {
    const { checks } = open(1);
    const end = world.addHeld('hung');
    world.terminals.set('fine', async () => null);
    checks.ask(['hung', 'fine']);
    await world.waitForBegun(1);
    world.pass(10_000);
    await world.waitForReported(2);
    const late = { terminal_id: 'hung', ms: 10_000, problem: 'It did not answer within 10 s.' };
    expect(world.reported).toEqual([late, { terminal_id: 'fine', ms: 10_000, problem: null }]);
    checks.ask(['hung', 'fine']);
    // One slot: when the turn of the second has come, the first has had its own.
    const turns = world.begun.length;
    await waitFor(() => {
      world.pass(10_000);
      return world.begun.length > turns;
    });
    await world.waitForReported(4);
    expect(world.reported[2]).toMatchObject({ terminal_id: 'hung', problem: late.problem });
    expect(world.begun).toEqual(['hung', 'fine', 'fine']);
    end();
    checks.ask(['hung']);
    await world.waitForReported(5);
    expect(world.reported[4]).toEqual({ terminal_id: 'hung', ms: 0, problem: null });
  });

  test('checks of the switch that are asked for again before their turn run once, and count from the latest request', async () => {
    const { checks } = open(1);
    const end = world.addHeld('first');
    world.terminals.set('second', async () => null);
    checks.ask(['first', 'second']);
    await world.waitForBegun(1);
    world.pass(400);
    checks.ask(['second']);
    world.pass(100);
    end();
    await world.waitForReported(2);
    expect(world.reported).toEqual([
      { terminal_id: 'first', ms: 500, problem: null },
      { terminal_id: 'second', ms: 100, problem: null },
    ]);
    expect(world.begun).toEqual(['first', 'second']);
  });

  test('checks of the switch say nothing of how a driver failed, and one short line of what it says', async () => {
    const { checks } = open(1);
    world.terminals.set('defect', () => Promise.reject(new Error('/srv/hosts/secret is missing')));
    world.terminals.set('wordy', async () => 'first\nsecond '.repeat(100));
    world.terminals.set('mute', async () => '');
    checks.ask(['defect', 'wordy', 'mute']);
    await world.waitForReported(3);
    const [defect, wordy, mute] = world.reported.map(({ problem }) => problem);
    expect([defect, mute]).toEqual(['The check failed.', 'The check failed.']);
    expect(wordy).toMatch(/^first second /);
    expect(wordy!.length).toBeLessThanOrEqual(500);
    expect(world.log).toContain('/srv/hosts/secret is missing');
  });

  test('checks of the switch are reported in calls of limited size and with times of limited length, and dropped when a call fails', async () => {
    const { checks } = open(8);
    const end = world.addHeld('first');
    checks.ask(['first']);
    await world.waitForBegun(1);
    const many = Array.from({ length: 2 * MAX_SWITCH_CHECKS + 5 }, (_, number) => `terminal-${number}`);
    for (const id of many) world.terminals.set(id, async () => null);
    world.refusal = new Error('Later.');
    checks.ask(many);
    await waitFor(() => world.reports.length === 2, { what: 'the full calls' });
    world.refusal = undefined;
    world.pass(9_000_000);
    end();
    await world.waitForReported(many.length + 1);
    expect(world.reports.map((call) => call.length)).toEqual([MAX_SWITCH_CHECKS, MAX_SWITCH_CHECKS, 6]);
    expect(world.log.match(/switch checks were lost/g)).toHaveLength(2);
    expect(new Set(world.reported.map(({ terminal_id }) => terminal_id)).size).toBe(many.length + 1);
    expect(world.reported.find(({ terminal_id }) => terminal_id === 'first')?.ms).toBe(600_000);
  });
});

describe('an agent', () => {
  let host: AgentUnderTest;
  useAgent((agent) => {
    host = agent;
    host.drainMs = 200;
  });

  const install = async (): Promise<string> => {
    const { id } = await host.install();
    return id;
  };

  test('checks the terminals that an answer to its claim names, also while one of them works', async () => {
    const problems = new Map<string, string | null>();
    host.terminals.checkSwitch = async (id) => problems.get(id) ?? null;
    host.start();
    const [working, stuck] = [await install(), await install()];
    problems.set(stuck, 'A dialog stands in front of it.');
    const task = aTask({ ...aTerminal(), id: working }, { payload: { ms: 600_000 } });
    host.server.deliver(task);
    await waitFor(() => host.terminals.listRuns().length === 3, { what: 'the start of the task' });
    host.server.askChecks(working, stuck, randomUUID());
    await waitFor(() => host.server.checks.length > 0, { what: 'a report' });
    expect(host.server.checks[0]!.map(({ terminal_id, problem }) => [terminal_id, problem])).toEqual([
      [working, null],
      [stuck, 'A dialog stands in front of it.'],
    ]);
    expect(host.server.ends(task.id)).toEqual([]);
  });

  test('an agent takes nothing from an answer to its claim whose list of terminals is malformed', async () => {
    const transport = new ServerTransport({ serverUrl: host.server.url, version: 'test' });
    const sessionId = randomUUID();
    const connection = new ServerConnection({
      ...{ transport, bearer: '', sessionId, version: 'test', platforms: ['sandbox'] as const },
    });
    const asked: string[][] = [];
    connection.onSwitchChecks((ids) => asked.push(ids));
    const claim = (checks: unknown) => {
      const body = { session_id: sessionId, tasks: [], checks };
      host.server.inPlace = () => ({ status: 200, body });
      return connection.claim({ slots: 1, waitMs: 0 }, new AbortController().signal);
    };
    const ids = Array.from({ length: MAX_SWITCH_CHECKS + 1 }, () => randomUUID());
    for (const wrong of [null, true, ids[0], {}, [1], ['terminal'], [...ids.slice(1), null], ids]) {
      await expect(claim(wrong)).rejects.toMatchObject({ kind: 'unreachable' });
    }
    expect(asked).toEqual([]);
    expect([await claim([]), await claim(undefined), await claim(ids.slice(1))]).toEqual([[], [], []]);
    expect(asked).toEqual([ids.slice(1)]);
    transport.close();
  });
});
