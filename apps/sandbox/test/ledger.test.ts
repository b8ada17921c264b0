import { expect, test } from 'vitest';
import type { LedgerTerms } from '../src/trading-server/ledger/ledger-data.ts';
import { Ledger } from '../src/trading-server/ledger/ledger.ts';
import { toAccountDeal, toAccountState } from '../src/trading-server/ledger/ledger-view.ts';
import { toTradeRequest } from '../src/wire/trade-messages.ts';

const NOON = Date.UTC(2026, 5, 10, 12);
const DAY_MS = 86_400_000;

const createLedger = (terms: Partial<LedgerTerms> = {}) => {
  const ledger = new Ledger({
    server: 'Test-Server',
    login: '1001',
    currency: 'USD',
    leverage: 100,
    marginMode: 'hedging',
    deposit: 1_000_000n,
    createdAt: NOON,
    ...terms,
  });
  let at = NOON;
  const ask = (fields: Record<string, unknown>) => {
    const request = toTradeRequest(fields);
    if (!request) throw new Error('not a request');
    return ledger.trade(request, at);
  };
  return {
    ask,
    setPrice: (price: string, symbol = 'EURUSD') => ask({ action: 'set_price', symbol, price }),
    open: (fields: Record<string, unknown> = {}) =>
      ask({ action: 'open', symbol: 'EURUSD', side: 'buy', volume: '0.10', ...fields }),
    place: (fields: Record<string, unknown>) => ask({ action: 'place', symbol: 'EURUSD', volume: '0.10', ...fields }),
    state: () => toAccountState(ledger, at, true),
    deals: () => ledger.entries.deals.map((deal) => toAccountDeal(deal, 'USD')),
    pass: (ms: number) => ((at += ms), ledger.takeMarket(at)),
  };
};

test('an account begins with its deposit, which is its first deal', () => {
  const { state, deals } = createLedger();
  expect(state()).toMatchObject({ balance: '10000.00', equity: '10000.00', margin: '0.00', margin_level: null });
  expect(deals()).toMatchObject([{ ticket: '1', side: 'balance', symbol: '', profit: '10000.00' }]);
});

test('a position is worth what the price says, and closing it brings exactly that, less commission', () => {
  const { setPrice, open, state, deals, ask } = createLedger();
  setPrice('1.05000');
  // 0.10 lots at 1.05006, the ask: 10,500.60 dollars of euros at 1:100.
  expect(open({ magic: '7', comment: 'first' })).toMatchObject({ retcode: 10009, order: '2', deal: '3' });
  expect(state()).toMatchObject({ balance: '9999.70', profit: '-0.60', equity: '9999.10', margin: '105.01' });
  expect(state()).toMatchObject({ free_margin: '9894.09', margin_level: '9522.05' });
  setPrice('1.06000');
  expect(state().positions).toMatchObject([
    { ticket: '2', side: 'buy', volume: '0.10', open_price: '1.05006', price: '1.06000', profit: '99.40', magic: '7' },
  ]);
  expect(ask({ action: 'close', ticket: '2', volume: '0.04' })).toMatchObject({ retcode: 10009 });
  expect(ask({ action: 'close', ticket: '2' })).toMatchObject({ retcode: 10009 });
  expect(ask({ action: 'close', ticket: '2' })).toMatchObject({ retcode: 10036 });
  expect(
    deals().map(({ entry, side, volume, profit, commission }) => [entry, side, volume, profit, commission]),
  ).toEqual([
    ['in', 'balance', '0.00', '10000.00', '0.00'],
    ['in', 'buy', '0.10', '0.00', '-0.30'],
    ['out', 'sell', '0.04', '39.76', '-0.12'],
    ['out', 'sell', '0.06', '59.64', '-0.18'],
  ]);
  expect(state()).toMatchObject({ balance: '10098.80', equity: '10098.80', positions_total: 0, deals_total: 4 });
});

test('deposits and withdrawals are deals, and money that is not there or used as margin does not go', () => {
  const { setPrice, open, state, deals, ask } = createLedger();
  const move = (amount: string, side = 'balance') => ask({ action: 'move_money', side, amount });
  expect(move('500.00')).toMatchObject({ retcode: 10009, order: null, deal: '2' });
  expect(move('-200.50')).toMatchObject({ retcode: 10009, deal: '3' });
  setPrice('1.05000');
  open({ volume: '1.00' });
  expect(state()).toMatchObject({ balance: '10296.50', margin: '1050.06', free_margin: '9240.44' });
  expect(move('-9240.45')).toMatchObject({ retcode: 10019 });
  expect(move('-9240.44')).toMatchObject({ retcode: 10009 });
  expect(state()).toMatchObject({ balance: '1056.06', free_margin: '0.00' });
  expect(['0', '0.00'].map((amount) => move(amount).retcode)).toEqual([10013, 10013]);
  expect(deals().filter(({ type }) => type === 'balance')).toMatchObject([
    { ticket: '1', profit: '10000.00', out_by: null, fee: '0.00' },
    { ticket: '2', profit: '500.00', symbol: '', volume: '0.00' },
    { ticket: '3', profit: '-200.50' },
    { profit: '-9240.44' },
  ]);
});

test('credit counts towards the equity and not the balance, is taken back to nothing at most, and is no money to withdraw', () => {
  const { state, deals, ask } = createLedger();
  const move = (amount: string, side = 'credit') => ask({ action: 'move_money', side, amount }).retcode;
  expect(move('2000.00')).toBe(10009);
  expect(state()).toMatchObject({ balance: '10000.00', credit: '2000.00', equity: '12000.00' });
  expect(move('-10000.01', 'balance')).toBe(10019);
  expect([move('-2000.01'), move('-2000.00')]).toEqual([10013, 10009]);
  expect(state()).toMatchObject({ balance: '10000.00', credit: '0.00', equity: '10000.00' });
  expect(deals().slice(1)).toMatchObject([
    { type: 'credit', side: 'credit', profit: '2000.00' },
    { type: 'credit', side: 'credit', profit: '-2000.00' },
  ]);
});

test('the state of an account names its deposits and withdrawals, newest first, and the deal up to which it knows them', () => {
  const { state, ask, open } = createLedger();
  const move = (amount: string, side: string) => ask({ action: 'move_money', side, amount });
  move('5.00', 'credit');
  move('-1.00', 'balance');
  open();
  expect(state().cash).toEqual({
    until: state().last_deal,
    flows: [
      { ticket: '3', amount: '-1.00' },
      { ticket: '1', amount: '10000.00' },
    ],
  });
  for (let count = 0; count < 40; count += 1) move('1.00', 'balance');
  expect(state().cash.flows).toHaveLength(32);
});

test('a deal says what closed the position, and a server of that name takes a fee beside the commission', () => {
  const { setPrice, open, state, deals, ask } = createLedger({ server: 'Fees-Demo' });
  setPrice('1.05000');
  open({ volume: '1.00', stop_loss: '1.04000' });
  open({ volume: '1.00', take_profit: '1.06000' });
  open({ volume: '1.00' });
  ask({ action: 'close', ticket: state().positions[2]!.ticket });
  setPrice('1.06000');
  setPrice('1.04000');
  expect(deals().map(({ type, entry, commission, fee, out_by }) => [type, entry, commission, fee, out_by])).toEqual([
    ['balance', 'in', '0.00', '0.00', null],
    ...Array.from({ length: 3 }, () => ['trade', 'in', '-3.00', '-1.00', null]),
    ['trade', 'out', '-3.00', '-1.00', 'expert'],
    ['trade', 'out', '-3.00', '-1.00', 'take_profit'],
    ['trade', 'out', '-3.00', '-1.00', 'stop_loss'],
  ]);
});

test("yen are converted at the account's own price", () => {
  const { setPrice, open, state } = createLedger();
  setPrice('150.000', 'USDJPY');
  open({ symbol: 'USDJPY', volume: '1.00' });
  setPrice('151.009', 'USDJPY');
  // 1,000 points of 100,000 dollars are 100,000 yen.
  expect(state().positions[0]).toMatchObject({ profit: '662.21' });
});

test('a netting account has one position a symbol: an opposite deal reduces it, closes it or turns it round', () => {
  const { setPrice, open, state, deals } = createLedger({ marginMode: 'netting' });
  setPrice('1.05000');
  open({ volume: '0.10' });
  setPrice('1.05100');
  open({ volume: '0.10' });
  expect(state().positions).toMatchObject([{ ticket: '2', volume: '0.20', open_price: '1.05056' }]);
  open({ side: 'sell', volume: '0.05' });
  expect(state().positions).toMatchObject([{ ticket: '2', side: 'buy', volume: '0.15' }]);
  open({ side: 'sell', volume: '0.25' });
  expect(state().positions).toMatchObject([{ ticket: '2', side: 'sell', volume: '0.10', open_price: '1.05100' }]);
  open({ side: 'buy', volume: '0.10' });
  expect(state().positions).toEqual([]);
  expect(deals().map(({ entry, volume }) => `${entry} ${volume}`)).toEqual([
    'in 0.00',
    'in 0.10',
    'in 0.10',
    'out 0.05',
    'inout 0.25',
    'out 0.10',
  ]);
});

test('stops close a position at the market, and the deal says which one it was', () => {
  const { setPrice, open, state, deals, ask } = createLedger();
  setPrice('1.05000');
  open({ stop_loss: '1.04000', take_profit: '1.06000' });
  open({ side: 'sell', stop_loss: '1.06000' });
  expect(ask({ action: 'modify', ticket: '4', stop_loss: null, take_profit: '1.03000' })).toMatchObject({
    retcode: 10009,
  });
  setPrice('1.03990');
  expect(state().positions).toMatchObject([{ ticket: '4', stop_loss: null, take_profit: '1.03000' }]);
  setPrice('1.02990');
  expect(state().positions).toEqual([]);
  expect(deals().slice(-2)).toMatchObject([
    { position_id: '2', price: '1.03990', comment: '[sl 1.04000]' },
    { position_id: '4', price: '1.02996', comment: '[tp 1.03000]' },
  ]);
});

test('pending orders wait for their price, a stop limit for two', () => {
  const { setPrice, place, state, ask } = createLedger();
  setPrice('1.05000');
  place({ order_type: 'buy_limit', price: '1.04000' });
  place({ order_type: 'sell_stop', price: '1.04000' });
  place({ order_type: 'buy_stop_limit', price: '1.06000', limit_price: '1.05500' });
  expect(place({ order_type: 'buy_stop', price: '1.04000' })).toMatchObject({ retcode: 10015 });
  expect(state().orders.map(({ type }) => type)).toEqual(['buy_limit', 'sell_stop', 'buy_stop_limit']);
  setPrice('1.03995');
  expect(state().orders.map(({ type }) => type)).toEqual(['buy_limit', 'buy_stop_limit']);
  setPrice('1.06000');
  expect(state().orders.map(({ type, price }) => `${type} ${price}`)).toEqual([
    'buy_limit 1.04000',
    'buy_limit 1.05500',
  ]);
  setPrice('1.05400');
  expect(state().positions.map(({ side, open_price: price }) => `${side} ${price}`)).toEqual([
    'sell 1.03995',
    'buy 1.05406',
  ]);
  expect(ask({ action: 'delete', ticket: '2' })).toMatchObject({ retcode: 10009 });
  expect(ask({ action: 'delete', ticket: '2' })).toMatchObject({ retcode: 10013 });
  expect(state().orders).toEqual([]);
});

test('below half of the margin the worst positions are closed until the rest has enough', () => {
  const { setPrice, open, state, deals } = createLedger();
  setPrice('1.05000');
  setPrice('1.20000', 'GBPUSD');
  open({ volume: '5.00' });
  open({ volume: '1.00', symbol: 'GBPUSD' });
  setPrice('1.03300');
  expect(state().positions.map(({ symbol }) => symbol)).toEqual(['GBPUSD']);
  expect(deals().at(-1)).toMatchObject({
    symbol: 'EURUSD',
    side: 'sell',
    out_by: 'stop_out',
    comment: expect.stringMatching(/^\[so .*%\]$/) as string,
  });
});

test('each night costs its swap once, also after a long downtime and a clock that was set back', () => {
  const { setPrice, open, state, pass } = createLedger();
  setPrice('1.05000');
  open({ volume: '1.00' });
  expect(pass(DAY_MS / 4)).toBe(false);
  expect(pass(DAY_MS / 2)).toBe(true);
  expect(state().positions[0]).toMatchObject({ swap: '-6.00' });
  pass(-DAY_MS);
  pass(DAY_MS);
  expect(state().positions[0]).toMatchObject({ swap: '-6.00' });
  pass(DAY_MS * 1000);
  expect(state().positions[0]).toMatchObject({ swap: '-186.00' });
});

test.each([
  ['an unknown symbol', { symbol: 'NOPE' }, 10013],
  ['no volume', { volume: '0.00' }, 10014],
  ['too much', { volume: '100.01' }, 10014],
  ['more than its money allows', { volume: '50.00' }, 10019],
  ['a stop on the wrong side', { stop_loss: '9.00000' }, 10016],
  ['digits that the symbol lacks', { take_profit: '2.000001' }, 10016],
])('%s is refused, and changes nothing', (_, fields, retcode) => {
  const { open, state, deals } = createLedger();
  const before = [state(), deals()];
  expect(open(fields)).toEqual(expect.objectContaining({ retcode, order: null, deal: null }));
  expect([state(), deals()]).toEqual(before);
});

test('an account holds a thousand positions and no more', () => {
  const { open, state } = createLedger({ deposit: 100_000_000n });
  for (let count = 0; count < 1000; count += 1) open({ volume: '0.01' });
  expect(open({ volume: '0.01' })).toMatchObject({ retcode: 10040 });
  expect(state().positions_total).toBe(1000);
});
