/** A guard whose numbers fail, and whose agent is killed: nothing is acted on by mistake, and nothing is acted on twice. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestAgent, useTestStack, waitFor } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CuttingProxy } from '../faults/cutting-proxy.ts';
import { findTradingServer, GuardedTerminal } from './guarded-terminal.ts';
import { buyTwentyLots } from './risk-cases.ts';

const TIMEOUT_MS = 600_000;
const stack = useTestStack();
/** Nothing listens there. */
const NOWHERE = '127.0.0.1:1';
let broker: string;
let target: string;
let proxy: CuttingProxy;

beforeAll(async () => {
  broker = findTradingServer(stack);
  target = broker;
  proxy = new CuttingProxy({ toTarget: () => `http://${target}` });
  await proxy.listen();
  // Terminals read it at each attempt to connect; phones go to the trading server itself.
  writeFileSync(join(stack.dataDir, 'sandbox', 'network'), new URL(proxy.url).host);
});
afterAll(() => proxy.close());

const killAgent = async (): Promise<void> => {
  const [agent] = stack.processes('agent');
  if (!agent) throw new Error('No agent runs.');
  process.kill(agent.pid, 'SIGKILL');
  await waitFor(() => stack.processes('agent').some(({ pid }) => pid !== agent.pid), { what: 'another agent' });
};

it(
  'numbers of a terminal without connection, or not synchronised, are blind over a restart, and the first right ones act once',
  async () => {
    const terminal = await GuardedTerminal.create(stack, { broker });
    const { user, id } = terminal;
    const rule = await terminal.addRule();
    await buyTwentyLots(terminal);
    await terminal.setPrice('EURUSD', '1.04764');
    await terminal.waitForState(rule, ({ used }) => used === '4900.00');
    target = NOWHERE;
    proxy.cutAll();
    await terminal.waitForState(rule, ({ blind }) => blind === 'not_synchronised');
    await terminal.setPrice('EURUSD', '1.04749');
    await killAgent();
    const thaw = await terminal.freeze();
    const isShown = async (equity: string) => (await user.berth.terminals.account(id)).equity === equity;
    const money = (text: string) => ({ balance: text, equity: text });
    for (const [text, changes] of [
      ['0.00', { connected: false, is_synchronized: false, positions: [], positions_total: 0 }],
      ['94000.00', { connected: true, is_synchronized: false }],
    ] as const) {
      terminal.writeAccount({ ...changes, ...money(text) });
      await waitFor(() => isShown(text), { what: `the ${text} of the file` });
    }
    expect(await terminal.waitForState(rule, ({ is_watched }) => !is_watched)).toMatchObject({
      day_start: '100000.00',
    });
    expect(await terminal.listBreaches()).toEqual([]);

    thaw();
    target = broker;
    const breach = await terminal.waitForBreach(({ phase }) => phase === 'holding');
    expect(breach).toMatchObject({ value: '94800.00', limit: '95000.00', closed: 1, total: 1, left_open: [] });
    const warnings = await user.berth.eventLog.list({ types: 'risk.warning' }).toArray();
    expect(
      warnings.map(({ data }) => (data as { warning: string }).warning).filter((each) => each !== 'near_limit'),
    ).toEqual(['blind', 'sees_again']);
  },
  TIMEOUT_MS,
);

it(
  'an agent that loses its host to a twin while a rule acts leaves the breach to the next one, which closes once',
  async () => {
    const terminal = await GuardedTerminal.create(stack, { broker });
    await terminal.addRule();
    await buyTwentyLots(terminal);
    const thaw = await terminal.breachFrozen('1.04700');
    const { id } = await terminal.waitForStored();
    const directory = mkdtempSync(join(tmpdir(), 'berth-twin-'));
    mkdirSync(join(directory, 'host'));
    cpSync(join(terminal.hostFolder, 'credential.json'), join(directory, 'host', 'credential.json'));
    const networkFile = join(stack.dataDir, 'sandbox', 'network');
    const readSession = async () =>
      (
        await stack.query('select session_id from hosts h join terminals t on t.host_id = h.id where t.id = $1', [
          terminal.id,
        ])
      )[0]?.session_id as string;
    const before = await readSession();
    const twin = startTestAgent({ serverUrl: stack.url, directory, networkFile });
    await waitFor(async () => (await readSession()) !== before, { what: 'the session of the twin' });
    await killAgent();
    await twin.ended;
    expect(twin.output).toContain('Another agent has taken over');
    thaw();
    const breach = await terminal.waitForBreach(({ phase }) => phase === 'holding');
    expect(breach).toMatchObject({ id, closed: 1, total: 1, left_open: [] });
    expect(await terminal.countClosed()).toBe(1);
    rmSync(directory, { recursive: true, force: true });
  },
  TIMEOUT_MS,
);
