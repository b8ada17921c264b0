/**
 * A daily loss limit, from the price to the empty account and the evidence: the broker, the terminal's files, the guard on its
 * host, the server, its owner, and the script by which anybody checks the evidence.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, type NewRiskRule } from '@berth/client';
import { useTestStack, waitFor } from '@berth/testing';
import { expect, it } from 'vitest';
import { setPrice, TerminalUser } from './terminal-user.ts';

const TIMEOUT_MS = 600_000;

const stack = useTestStack();

/** A lot of 0.10 loses 100.00 on the way. */
const LOSING = [
  setPrice(0, '1.05000'),
  { after_seconds: 0, open: { symbol: 'EURUSD', side: 'buy', volume: '0.10' } },
  setPrice(4, '1.04000'),
];

/** A terminal whose rule is broken by what its expert trades, once all of the actions are carried out. */
const breachRule = async (login: string, actions: NewRiskRule['actions']) => {
  const user = new TerminalUser(stack.url, (await stack.register('Owner')).token);
  const { berth } = user;
  const id = await user.createTrader(login);
  const rule = await berth.riskRules.create({
    ...{ name: 'Daily loss', terminal_ids: [id], kind: 'daily_loss', amount: '50.00', basis: 'higher' },
    ...{ day_starts: '00:00', time_zone: 'UTC', actions },
  });
  await waitFor(async () => (await berth.riskRules.states(rule.id).toArray())[0]?.is_watched, {
    what: 'a host that watches',
    timeoutMs: TIMEOUT_MS,
  });
  await user.trade(id, LOSING);
  const breach = await waitFor(
    async () => {
      const [first] = await berth.riskBreaches.list().toArray();
      return first !== undefined && first.actions.length === actions.length && first;
    },
    { what: 'a breach that is carried out', timeoutMs: TIMEOUT_MS },
  );
  return { user, berth, id, rule, breach };
};

/** @returns what the script of docs/risk.md prints */
const verify = (text: string): string => {
  const [, script] = /## Evidence[\s\S]*?```js\n([\s\S]*?)```/.exec(readFileSync('docs/risk.md', 'utf8'))!;
  const folder = mkdtempSync(join(tmpdir(), 'berth-evidence-'));
  try {
    writeFileSync(join(folder, 'verify.mjs'), script!);
    writeFileSync(join(folder, 'breach.jsonl'), text);
    return execFileSync(process.execPath, ['verify.mjs', 'breach.jsonl'], { cwd: folder, encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
};

it(
  'a loss beyond the limit closes everything once, switches algo trading off and locks the terminal',
  async () => {
    const actions = ['notify', 'trading_off', 'close_all', 'lock'] as const;
    const { user, berth, id, rule, breach } = await breachRule('5001', [...actions]);
    expect(breach).toMatchObject({ rule_id: rule.id, terminal_id: id, closed: 1, total: 1, left_open: [] });
    expect(breach.actions.map(({ action, ok }) => [action, ok])).toEqual([
      ['close_all', true],
      ['trading_off', true],
      ['lock', true],
      ['notify', true],
    ]);
    const account = await waitFor(
      async () => {
        const seen = await berth.terminals.account(id);
        return seen.positions.length === 0 && seen;
      },
      { what: 'the empty account', timeoutMs: TIMEOUT_MS },
    );
    // Bought at 1.05006, sold at 1.04000, and 0.30 for each of the two deals.
    expect([account.balance, account.equity]).toEqual(['9898.80', '9898.80']);
    const locked = await waitFor(
      async () => {
        const seen = await berth.terminals.get(id, { include: 'details' });
        return seen.trading_allowed === false && seen;
      },
      { what: 'algo trading off', timeoutMs: TIMEOUT_MS },
    );
    expect(locked.locked_reason).toContain('Daily loss');

    const refused = await berth.tasks
      .create(id, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 1 })
      .catch((error) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toMatchObject({ status: 403, code: 'account_locked' });
    await berth.terminals.unlock(id, { reason: 'Reviewed' });
    await user.run(id, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 1 });
    // The same day's loss does not act a second time by itself on an empty account.
    expect(await berth.riskBreaches.list().toArray()).toHaveLength(1);
  },
  TIMEOUT_MS,
);

it(
  'the evidence of a breach has what was seen, decided, done and left, and its chain is whole',
  async () => {
    const { berth, rule, breach } = await breachRule('5002', ['close_all', 'trading_off']);
    // What it holds ends with the rule; the evidence a minute after the decision.
    await berth.riskRules.delete(rule.id);
    const { lines, text } = await waitFor(
      async () => {
        const evidence = await berth.riskBreaches.evidence(breach.id);
        const { kept } = evidence.lines.at(-1)!.body as { kept: { is_complete: boolean } };
        return kept.is_complete && evidence.lines.some(({ kind }) => kind === 'deal') && evidence;
      },
      { what: 'complete evidence', timeoutMs: TIMEOUT_MS },
    );

    expect(verify(text)).toMatch(new RegExp(`^${lines.length} lines, [0-9a-f]{64}\n$`));
    const find = (source: string, kind: string) =>
      lines.filter((line) => line.source === source && line.kind === kind).map(({ body }) => body);
    const firsts = [...new Set(lines.filter(({ source }) => source === 'host').map(({ kind }) => kind))];
    expect(firsts.slice(0, 4)).toEqual(['rule', 'marks', 'numbers', 'decision']);
    expect(firsts.at(-1)).toBe('end');
    // Seen: the price fell, and its position shows the bid.
    const decided = lines.findIndex(({ kind }) => kind === 'decision');
    expect(lines[decided - 1]!.body).toMatchObject({
      ...{
        positions: 1,
        connected: true,
        synchronized: true,
        sequence: expect.any(Number),
        age_ms: expect.any(Number),
      },
      quotes: { EURUSD: { bid: '1.04000' } },
    });
    // Decided, by which version of the rule.
    expect(find('host', 'rule')).toMatchObject([{ id: rule.id, kind: 'daily_loss', amount: '50.00', version: 1 }]);
    expect(find('server', 'rule')).toMatchObject([{ id: rule.id, version: 1, rule: { amount: '50.00' } }]);
    expect(find('host', 'decision')).toMatchObject([{ value: breach.value, limit: breach.limit, rule_version: 1 }]);
    // Done: a request with its answer, and the deal that came of it.
    const [request] = find('host', 'request');
    expect(request).toMatchObject({ action: 'close_position', retcode: 10_009, ms: expect.any(Number) });
    const deal = { entry: 'out', position_id: request!.ticket, symbol: 'EURUSD', side: 'sell', out_by: 'expert' };
    expect(find('server', 'deal').at(-1)).toMatchObject(deal);
    expect(find('host', 'switch')).toMatchObject([{ is_on: false, ok: true }]);
    // Left: nothing.
    expect(find('host', 'action')).toMatchObject([
      { action: 'close_all', ok: true, closed: 1, total: 1, left: 0, left_open: [] },
      { action: 'trading_off', ok: true },
    ]);
    expect(find('host', 'end')).toMatchObject([{ phase: 'ended', left: 0 }]);
    expect(find('server', 'end')).toMatchObject([{ phase: 'ended', closed: 1, total: 1, left_open: [] }]);
    expect(find('server', 'rule_changed')).toMatchObject([{ version: 2, rule: null }]);
    expect(text).not.toContain('trade-me');
  },
  TIMEOUT_MS,
);
