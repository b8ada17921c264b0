/**
 * Worked cases of risk rules with everything real: what a broker's prices and other programs of an account do to a rule, from
 * the terminal's files to the server. The function that decides has its own (packages/risk/test/cases.test.ts).
 */
import { useTestStack } from '@berth/testing';
import { expect, it } from 'vitest';
import { GuardedTerminal } from './guarded-terminal.ts';
import { buyTwentyLots, testRiskCases } from './risk-cases.ts';

const TIMEOUT_MS = 600_000;
const stack = useTestStack();

testRiskCases('on the sandbox', () => GuardedTerminal.create(stack));

it(
  'the costs of closing reach a limit that prices have not reached, to the cent, and nothing is left to close',
  async () => {
    const terminal = await GuardedTerminal.create(stack);
    const rule = await terminal.addRule();
    await buyTwentyLots(terminal);
    await terminal.setPrice('EURUSD', '1.04762');
    await terminal.waitForState(rule, ({ used }) => used === '4940.00');
    expect([terminal.phone.state.equity, await terminal.listBreaches()]).toEqual(['95060.00', []]);
    // 60.00 of commission are the rest of the limit.
    const [{ ticket = '' } = {}] = terminal.phone.state.positions;
    await terminal.phone.trade({ action: 'close', ticket });
    const breach = await terminal.waitForBreach(({ actions }) => actions.length === 2);
    const nothing = { closed: 0, total: 0, left_open: [], first_order_ms: null };
    expect(breach).toMatchObject({ rule_id: rule.id, value: '95000.00', limit: '95000.00', ...nothing });
  },
  TIMEOUT_MS,
);

it(
  'an expert and a copier that go on opening lose to the guard, which counts one breach and each position once',
  async () => {
    const terminal = await GuardedTerminal.create(stack);
    await terminal.addRule();
    const again = { after_seconds: 0, open: { symbol: 'EURUSD', side: 'buy', volume: '0.01' } };
    const script = { sandbox_expert: 1, repeat: true, actions: [again] };
    const { user, phone, id } = terminal;
    const { id: file_id } = await user.upload('Stubborn.ex5', Buffer.from(JSON.stringify(script)));
    const place = { name: 'Stubborn', symbol: 'EURUSD', period: 'M15', allow_algo_trading: 1, file_id };
    await user.run(id, 'EA_INSTALL', place);
    await buyTwentyLots(terminal);
    let [open, copies] = [0, 0];
    phone.onState(({ positions_total: total }) => {
      if (total < open && copies < 5) {
        copies += 1;
        void terminal.open('EURUSD', '0.01');
      }
      open = total;
    });
    await terminal.setPrice('EURUSD', '1.04700');
    const breach = await terminal.waitForBreach(({ phase }) => copies === 5 && open === 0 && phase === 'holding');
    expect(breach).toMatchObject({ left_open: [], experts: { removed: 1 } });
    expect(phone.state).toMatchObject({ positions_total: 0, orders_total: 0 });
    expect(breach.closed).toBe(await terminal.countClosed());
  },
  TIMEOUT_MS,
);
