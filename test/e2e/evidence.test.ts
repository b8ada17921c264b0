/**
 * The evidence of a breach that really happened: the broker, the terminal's files, the guard on its host, the server, its
 * owner, and the script by which anybody checks it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useTestStack, waitFor } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { TerminalUser } from './terminal-user.ts';

const TIMEOUT_MS = 600_000;

const stack = useTestStack();
let user: TerminalUser;
beforeAll(async () => {
  user = new TerminalUser(stack.url, (await stack.register('Owner')).token);
});

const setPrice = (seconds: number, price: string) => ({
  after_seconds: seconds,
  set_price: { symbol: 'EURUSD', price },
});
const open = { open: { symbol: 'EURUSD', side: 'buy', volume: '0.10' } };
/** A lot of 0.10 loses 100.00 on the way. */
const LOSING = {
  sandbox_expert: 1,
  repeat: false,
  actions: [setPrice(0, '1.05000'), { after_seconds: 0, ...open }, setPrice(4, '1.04000')],
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
  'the evidence of a breach has what was seen, decided, done and left, and its chain is whole',
  async () => {
    const { berth } = user;
    const account = { server_name: 'Harbour-Demo', login: '5001', password: 'trade-me', region: 0 };
    const { id } = await user.createTerminal(account);
    await user.waitForStatus(id, 'ACTIVE');
    await user.run(id, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 1 });
    const rule = await berth.riskRules.create({
      ...{ name: 'Daily loss', terminal_ids: [id], kind: 'daily_loss', amount: '50.00', basis: 'higher' },
      ...{ day_starts: '00:00', time_zone: 'UTC', actions: ['close_all', 'trading_off'] },
    });
    await waitFor(async () => (await berth.riskRules.states(rule.id).toArray())[0]?.is_watched, {
      what: 'a host that watches',
      timeoutMs: TIMEOUT_MS,
    });
    const file = await user.upload('Loser.ex5', Buffer.from(JSON.stringify(LOSING)));
    const place = { name: 'Loser', symbol: 'EURUSD', period: 'M15', allow_algo_trading: 1, file_id: file.id };
    await user.run(id, 'EA_INSTALL', place);
    const breach = await waitFor(
      async () => {
        const [first] = await berth.riskBreaches.list().toArray();
        return first !== undefined && first.actions.length === 2 && first;
      },
      { what: 'a breach that is carried out', timeoutMs: TIMEOUT_MS },
    );
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
