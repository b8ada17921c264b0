/** A lost link to the broker is news only when it lasts; what is measured shows it all the same. */
import { TaskType, TerminalStatus, type WantedTerminal } from '@berth/contract';
import { waitFor } from '@berth/testing/wait-for';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LinkHold } from '../src/platforms/metatrader/run/link-hold.ts';
import { Observations } from '../src/platforms/metatrader/run/observations.ts';
import { AgentUnderTest } from './support/agent-under-test.ts';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';
import { aTask, aTerminal } from './support/tasks.ts';

const { ACTIVE, CONNECTING, DISCONNECTED } = TerminalStatus;
const LONG = { linkHoldMs: 3_600_000 };

const host = useSandboxHost();

/** As a process that was stopped, or a machine that was asleep. */
const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const LOST = "'5001': connection to Test-Demo lost";
const BACK = "'5001': authorized on Test-Demo through Harbour (ping: 7.00 ms, build 5430)";
const isDown = async ({ driver }: TestTerminal) => (await driver.measure?.())?.link === 'down';

test('a link that is lost and back in time is no news, and samples show the gap', async () => {
  const terminal = await host.createTerminal({ timing: LONG });
  await terminal.install();
  host.say(terminal, [LOST]);
  await waitFor(() => isDown(terminal));
  expect(terminal.driver.observe()?.status).toBe(ACTIVE);
  host.say(terminal, [BACK]);
  await waitFor(async () => !(await isDown(terminal)));
  expect(terminal.statuses).not.toContain(DISCONNECTED);
});

test('a link that is lost for longer is news, also where the agent was restarted meanwhile', async () => {
  const terminal = await host.createTerminal({ timing: LONG });
  await terminal.install();
  host.say(terminal, [LOST]);
  await waitFor(() => isDown(terminal));
  await host.reopen(terminal, { timing: LONG });
  expect(await terminal.driver.reattach()).toBe(true);
  expect(await isDown(terminal)).toBe(true);
  expect(terminal.driver.observe()).toBeUndefined();
  await host.reopen(terminal);
  await terminal.driver.reattach();
  await waitFor(() => terminal.driver.observe()?.status === DISCONNECTED);
  host.say(terminal, [BACK]);
  await waitFor(() => terminal.driver.observe()?.status === ACTIVE);
});

test('a link that is lost and back while the agent stood still is no news either', async () => {
  const holdMs = 3_000;
  const terminal = await host.createTerminal({ timing: { linkHoldMs: holdMs } });
  await terminal.install();
  host.say(terminal, [LOST]);
  await waitFor(() => isDown(terminal));
  host.say(terminal, [BACK]);
  standStill(holdMs);
  await waitFor(async () => !(await isDown(terminal)));
  expect(terminal.statuses).not.toContain(DISCONNECTED);
  expect(terminal.driver.observe()?.status).toBe(ACTIVE);
});

test('a link that is lost by a terminal that has ended is news at once', async () => {
  const terminal = await host.createTerminal({ timing: LONG });
  await terminal.install();
  host.say(terminal, [LOST]);
  await waitFor(() => isDown(terminal));
  process.kill(await host.getPid(terminal), 'SIGKILL');
  await waitFor(() => terminal.driver.observe()?.status === DISCONNECTED);
  expect(terminal.driver.observe()).toMatchObject({
    reason: 'The terminal is not running: it was killed (SIGKILL). It is being started again.',
    exit: { code: null, signal: 'SIGKILL' },
  });
});

describe('a host that is given up for lost while it holds the news', () => {
  let agent: AgentUnderTest;
  let terminal: WantedTerminal;
  const isSeenDown = () => agent.server.samples.at(-1)?.[0]?.link === 'down';
  /** Each status once as often as it was come to. */
  const statuses = () => agent.server.statuses(terminal.id).filter((status, at, all) => status !== all[at - 1]);
  const start = async (linkHoldMs: number) => {
    agent.registry = host.createRegistry({ timing: { linkHoldMs } });
    agent.start();
    await waitFor(() => agent.server.heartbeats.length > 0, { what: 'a heartbeat' });
  };
  /** The server received nothing for long, and then asks for everything. */
  const findAgain = async () => {
    agent.server.wantsResync = true;
    await agent.server.open();
    await waitFor(() => !agent.server.wantsResync, { what: 'the heartbeat that is asked for everything' });
  };

  beforeEach(() => {
    agent = new AgentUnderTest();
    terminal = { ...aTerminal(), login: '5001', server_name: 'Test-Demo' };
  });
  afterEach(async () => {
    await agent.stop('stop terminals');
    await agent.close();
  });

  const loseLink = async (linkHoldMs: number) => {
    await agent.server.open();
    await start(linkHoldMs);
    const task = aTask(terminal, { type: TaskType.TERMINAL_INSTALL, secrets: { password: 'first-secret' } });
    agent.server.deliver(task);
    await waitFor(() => agent.server.statuses(terminal.id).at(-1) === ACTIVE, { what: 'the login' });
    agent.server.wanted = [{ ...terminal, status: ACTIVE }];
    host.say(terminal, [LOST]);
    await waitFor(isSeenDown, { what: 'a sample that shows the gap' });
    await agent.server.close();
  };

  test('a host that is given up for lost while it holds the news says that its terminal is connected, and nothing of a loss that is over', async () => {
    await loseLink(LONG.linkHoldMs);
    const before = agent.server.statuses(terminal.id);
    await findAgain();
    await waitFor(() => agent.server.statuses(terminal.id).length > before.length, { what: 'the news again' });
    // The heartbeat that brought the news need not have a sample: the next look has one.
    await waitFor(isSeenDown, { what: 'a sample that shows the gap' });
    host.say(terminal, [BACK]);
    await waitFor(() => !isSeenDown(), { what: 'a sample without the gap' });
    // Two heartbeats may be asked for everything.
    expect(new Set(agent.server.statuses(terminal.id).slice(before.length))).toEqual(new Set([ACTIVE]));
    expect(statuses()).not.toContain(DISCONNECTED);
  });

  test('a host that is given up for lost while it holds the news reports a lasting loss exactly once after it is found again', async () => {
    await loseLink(2_000);
    await findAgain();
    await waitFor(() => statuses().at(-1) === DISCONNECTED, { what: 'the loss' });
    host.say(terminal, [BACK]);
    await waitFor(() => statuses().at(-1) === ACTIVE, { what: 'the link' });
    expect(statuses().slice(-3)).toEqual([ACTIVE, DISCONNECTED, ACTIVE]);
    expect(statuses().filter((status) => status === DISCONNECTED)).toHaveLength(1);
  });

  test('a host that is given up for lost while it holds the news holds it on with another agent, which says nothing before it knows', async () => {
    await loseLink(LONG.linkHoldMs);
    await agent.stop();
    const before = statuses();
    await findAgainWith(LONG.linkHoldMs);
    expect(statuses()).toEqual(before);
    await agent.stop();
    await findAgainWith(300);
    await waitFor(() => statuses().at(-1) === DISCONNECTED, { what: 'the loss' });
    host.say(terminal, [BACK]);
    await waitFor(() => statuses().at(-1) === ACTIVE, { what: 'the link' });
    expect(statuses()).toEqual([...before, DISCONNECTED, ACTIVE]);
  });

  const findAgainWith = async (linkHoldMs: number) => {
    await agent.server.close();
    agent.server.samples.splice(0);
    const found = findAgain();
    await start(linkHoldMs);
    await found;
    await waitFor(isSeenDown, { what: 'a sample that shows the gap' });
  };
});

const lost = { status: DISCONNECTED, reason: 'The connection to A was lost.' };
const open = (linkHoldMs: number) => {
  const observations = new Observations();
  const hold: LinkHold = new LinkHold({
    edition: { timing: { linkHoldMs } },
    observations,
    catchUp: async () => undefined,
    onEnd: () => hold.take(lost, true),
  });
  return { observations, hold };
};

test('the hold is for those that were connected: who never was is disconnected at once', () => {
  const { observations, hold } = open(3_600_000);
  hold.take({ status: CONNECTING, reason: null }, true);
  hold.take(lost, true);
  expect(observations.get()).toEqual(lost);
});

test('the hold of no length reports everything', () => {
  const { observations, hold } = open(0);
  hold.take({ status: ACTIVE, reason: null }, true);
  hold.take(lost, true);
  expect(observations.get()).toEqual(lost);
});

test('the hold restarts with each loss', async () => {
  const { observations, hold } = open(20);
  for (let round = 0; round < 2; round += 1) {
    hold.take({ status: ACTIVE, reason: null }, true);
    hold.take(lost, true);
    expect(observations.get()?.status).toBe(ACTIVE);
    await waitFor(() => observations.get()?.status === DISCONNECTED);
  }
});
