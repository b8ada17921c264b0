// @module-tag browser
/** The pages of money and risk look as they did, with figures of a fixed time: old ones, and said to be. `support/image.ts` says how. */
import { randomUUID } from 'node:crypto';
import { toAccountState, toDeal, type TestAccount } from '@berth/testing';
import { beforeAll } from 'vitest';
import { useHostScene } from './support/host-scene.ts';
import { assertLooks } from './support/image.ts';
import { look, THEN } from './support/look.ts';

const PHONE = { width: 375, height: 720 };

const { scene, flow } = useHostScene({ hasWeather: false });
let owner: TestAccount;
let ids: string[];

const position = {
  ...{ ticket: '9', symbol: 'GBPUSD', side: 'sell' as const, volume: '0.80', open_price: '1.27290', price: '1.27232' },
  ...{ stop_loss: '1.27910', take_profit: null, swap: '0.71', profit: '46.40', magic: '0', comment: 'Range 2.1' },
  opened_at: THEN,
};
const state = toAccountState({
  ...{ balance: '103726.91', equity: '103209.71', profit: '-517.20', margin: '5148.26', free_margin: '98061.45' },
  ...{ margin_level: '2004.75', positions_total: 2 },
  positions: [
    position,
    { ...position, ticket: '2', symbol: 'EURUSD', side: 'buy', volume: '1.50', swap: '0.00', profit: '-563.60' },
  ],
});

const createRule = async (body: object): Promise<string> => {
  const actions = ['close_all', 'trading_off', 'lock', 'notify'];
  const time_zone = 'America/New_York';
  const answer = await scene.server.request('POST', '/v1/my/risk-rules', {
    token: owner.token,
    body: { actions, time_zone, ...body },
  });
  return (answer.body as { data: { id: string } }).data.id;
};

const createRules = async (): Promise<void> => {
  const daily = await createRule({
    name: 'Daily loss 3 %',
    all: true,
    kind: 'daily_loss',
    percent: 3,
    basis: 'higher',
  });
  const some = {
    terminal_ids: ids.slice(0, 2),
    kind: 'trailing_drawdown',
    percent: 5,
    trail_stops_at: { amount: '100000.00' },
  };
  const trailing = await createRule({ name: 'Trailing drawdown 5 %', ...some });
  await createRule({ name: 'At most 20 positions', all: true, kind: 'max_positions', amount: '20', enabled: false });
  const toState = (rule_id: string, index: number, used: string, limit: string, warn_at: string) => ({
    ...{ terminal_id: ids[index], rule_id, used, limit, warn_at, blind: null, as_of: Date.now() },
  });
  const states = [
    toState(daily, 0, '834.78', '3121.33', '2497.06'),
    toState(daily, 1, '1215.92', '1482.83', '1186.26'),
    toState(trailing, 0, '1402.59', '5230.61', '4184.49'),
  ];
  const decided_at = Date.parse(THEN);
  const breach = {
    ...{ id: randomUUID(), terminal_id: ids[1], rule_id: daily, decided_at, value: '51204.10', limit: '51216.50' },
    ...{ first_order_ms: 118, closed: 10, total: 11, has_ended: true },
    left_open: [{ ticket: '9', symbol: 'US500', message: 'The market is closed (10018).' }],
    actions: [
      { action: 'close_all', ok: false, at: decided_at + 5_120, message: 'One is open.' },
      { action: 'trading_off', ok: true, at: decided_at + 5_300, message: null },
      { action: 'notify', ok: true, at: decided_at + 5_431, message: null },
    ],
  };
  await scene.host.call('risk', { states, warnings: [], breaches: [breach] });
};

beforeAll(async () => {
  owner = await scene.server.register('Ada Lovelace');
  // One after the other, so that lists have them in this order each time.
  ids = [];
  for (const name of ['Challenge 100k B', 'Gold grid A', 'Nordic scalper']) {
    ids.push(...(await scene.createTerminals(owner.token, [name])));
  }
  await scene.host.sendAccounts(
    { terminal_id: ids[0] ?? '', login: '0', state },
    { terminal_id: ids[1] ?? '', login: '0', state: { ...state, currency: 'EUR', equity: '48211.90' } },
  );
  const deals = [
    toDeal(1, { side: 'balance', symbol: '', entry: 'in', profit: '100000.00', commission: '0.00', at: THEN }),
    toDeal(2, { entry: 'in', side: 'buy', profit: '0.00', comment: 'Trend', at: THEN }),
    toDeal(3, { entry: 'out', profit: '-177.50', comment: 'Trend', at: THEN }),
    toDeal(4, { entry: 'out', symbol: 'XAUUSD', profit: '253.50', at: THEN }),
  ];
  const told = { after: null, deals, is_complete: true, complete_until: THEN };
  await scene.host.sendAccounts({ terminal_id: ids[0] ?? '', login: '0', deals: told });
  await createRules();
  for (const change of [
    `terminals set created_at = '${THEN}', status_changed_at = '${THEN}'`,
    `trading_accounts set seen_at = '${THEN}', taken_at = '${THEN}'`,
    `risk_states set as_of = '${THEN}', reported_at = '${THEN}'`,
    `risk_breaches set at = '${THEN}'`,
    // Of a new rule it would be said that it is about to watch.
    `risk_rules set updated_at = '${THEN}'::timestamptz - interval '1 hour'`,
  ]) {
    await scene.server.query(`update ${change}`);
  }
});

flow('the list with money, by night', async (visit) => {
  const page = await look(visit, '/terminals', '48,211.90', { as: owner.user, viewport: { width: 1440, height: 700 } });
  await assertLooks(page, 'terminals-money-night');
});

flow('old figures of a terminal, by day and on a phone by night', async (visit) => {
  const path = `/terminals/${ids[0]}?tab=trading&deals=year`;
  await assertLooks(await look(visit, path, 'XAUUSD', { as: owner.user, colorScheme: 'light' }), 'trading-old-day');
  const phone = await look(visit, path, 'XAUUSD', { as: owner.user, viewport: PHONE });
  await phone.getByRole('region', { name: 'Positions' }).scrollIntoViewIfNeeded();
  await assertLooks(phone, 'trading-phone-night');
});

flow('rules by night, and breaches by day', async (visit) => {
  await assertLooks(await look(visit, '/risk', /^Nearest|not watched/, { as: owner.user }), 'risk-night');
  const day = { as: owner.user, colorScheme: 'light' } as const;
  await assertLooks(await look(visit, '/risk?tab=breaches', 'Not closed', day), 'breaches-day');
});
