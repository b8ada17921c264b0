import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toDealAmount, type Deal, type LedgerTerms } from '../src/trading-server/ledger/ledger-data.ts';
import type { LedgerEntries } from '../src/trading-server/ledger/ledger-entries.ts';
import { LedgerFile } from '../src/trading-server/ledger/ledger-store.ts';
import { Ledger } from '../src/trading-server/ledger/ledger.ts';
import { toAccountDeal, toAccountState } from '../src/trading-server/ledger/ledger-view.ts';
import { toTradeRequest } from '../src/wire/trade-messages.ts';

const NOON = Date.UTC(2026, 5, 10, 12);
const SYMBOLS = ['EURUSD', 'USDJPY', 'XAUUSD', 'EURGBP'];
/** Around these the prices of the test move. */
const BASES: Record<string, number> = { EURUSD: 105_000, USDJPY: 150_000, XAUUSD: 240_000, EURGBP: 85_000 };
const DIGITS: Record<string, number> = { EURUSD: 5, USDJPY: 3, XAUUSD: 2, EURGBP: 5 };

const toPrice = (symbol: string, percent: number): string =>
  ((BASES[symbol]! * (1 + percent / 100)) / 10 ** DIGITS[symbol]!).toFixed(DIGITS[symbol]);

const symbol = fc.constantFrom(...SYMBOLS);
const side = fc.constantFrom('buy', 'sell');
const volume = fc.integer({ min: 1, max: 300 }).map((units) => (units / 100).toFixed(2));
const percent = fc.double({ min: -3, max: 3, noNaN: true });
/** A ticket that may exist. */
const ticket = fc.integer({ min: 1, max: 40 }).map(String);

/** Mostly what is there, and what has as many digits as yen have, too. */
const amount = fc
  .integer({ min: -400_000, max: 400_000 })
  .map((units) => (units % 2 === 0 ? String(units / 2) : (units / 100).toFixed(2)));

const step = fc.oneof(
  fc.record({ action: fc.constant('open'), symbol, side, volume }),
  fc.record({ action: fc.constant('close'), ticket, volume: fc.option(volume) }),
  fc
    .record({ symbol, percent })
    .map((at) => ({ action: 'set_price', symbol: at.symbol, price: toPrice(at.symbol, at.percent) })),
  fc
    .record({ symbol, percent, type: fc.constantFrom('buy_limit', 'sell_limit', 'buy_stop', 'sell_stop'), volume })
    .map(({ type, ...at }) => ({
      action: 'place',
      order_type: type,
      volume: at.volume,
      symbol: at.symbol,
      price: toPrice(at.symbol, at.percent),
    })),
  fc.record({ action: fc.constant('delete'), ticket }),
  fc.record({ action: fc.constant('move_money'), side: fc.constantFrom('balance', 'credit'), amount }),
  fc.record({ passMs: fc.integer({ min: 1, max: 100_000_000 }) }),
);

const createTerms = (marginMode: LedgerTerms['marginMode'], currency: string, server = 'Test-Server'): LedgerTerms => ({
  server,
  login: '1',
  currency,
  leverage: 100,
  marginMode,
  deposit: 1_000_000n,
  createdAt: NOON,
});

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** What the deals of a position leave open. */
const toOpenVolume = (deals: readonly Deal[]): bigint =>
  deals.reduce((left, deal) => {
    const signed = deal.side === 'buy' ? deal.volume : -deal.volume;
    return left + signed;
  }, 0n);

const assertAddsUp = ({ state, deals, carried }: LedgerEntries): void => {
  expect(state.balance).toBe(carried.amount + sum(deals.map(toDealAmount)));
  if (carried.count === 0)
    expect(state.credit).toBe(sum(deals.map(({ side: kind, profit }) => (kind === 'credit' ? profit : 0n))));
  for (const position of state.positions) {
    const left = toOpenVolume(deals.filter(({ positionId }) => positionId === position.ticket));
    expect(left).toBe(position.side === 'buy' ? position.volume : -position.volume);
    expect(position.volume > 0n && position.margin >= 0n).toBe(true);
  }
};

const modes = fc.constantFrom<LedgerTerms['marginMode']>('hedging', 'netting');
const currencies = fc.constantFrom('USD', 'EUR', 'JPY');
const servers = fc.constantFrom('Test-Server', 'Fees-Demo');

const replay = (ledger: Ledger, steps: readonly object[], afterEach: () => void): number => {
  let at = NOON;
  for (const each of steps as Record<string, unknown>[]) {
    if (typeof each.passMs === 'number') {
      at += each.passMs;
      ledger.takeMarket(at);
    } else {
      const request = toTradeRequest(each);
      if (request) ledger.trade(request, at);
    }
    afterEach();
  }
  return at;
};

test('whatever is traded, the balance is the sum of all deals, and positions are what their deals left', () => {
  fc.assert(
    fc.property(modes, currencies, servers, fc.array(step, { maxLength: 40 }), (mode, currency, server, steps) => {
      const ledger = new Ledger(createTerms(mode, currency, server));
      replay(ledger, steps, () => assertAddsUp(ledger.entries));
      const {
        balance,
        credit,
        profit,
        equity,
        margin,
        free_margin: free,
        positions,
      } = toAccountState(ledger, NOON, true);
      const [toCents, cents] = [
        (text: string) => BigInt(text.replace('.', '')),
        (texts: string[]) => texts.map((text) => BigInt(text.replace('.', ''))),
      ];
      expect(toCents(equity)).toBe(toCents(balance) + toCents(credit) + toCents(profit));
      const shown = ledger.entries.deals
        .map((deal) => toAccountDeal(deal, currency))
        .filter(({ type }) => type !== 'credit');
      const results = shown.flatMap(({ profit: result, commission, fee, swap }) => [result, commission, fee, swap]);
      expect(toCents(balance)).toBe(sum(cents(results)));
      expect(toCents(profit)).toBe(sum(cents(positions.flatMap((position) => [position.profit, position.swap]))));
      expect(toCents(free)).toBe(toCents(equity) - toCents(margin));
    }),
    { numRuns: 300 },
  );
});

test('a ledger that is read again after a kill is the one that was written, and goes on with new tickets', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  let login = 0;
  try {
    const property = fc.asyncProperty(modes, fc.array(step, { maxLength: 30 }), async (mode, steps) => {
      const terms = createTerms(mode, 'USD');
      login += 1;
      const [ledger, file] = [new Ledger(terms), new LedgerFile(folder, 'S', String(login))];
      const half = Math.floor(steps.length / 2);
      replay(ledger, steps.slice(0, half), () => {});
      await file.write(ledger.entries);
      const at = replay(ledger, steps.slice(half), () => {});
      await file.write(ledger.entries);
      const again = new Ledger(terms, await new LedgerFile(folder, 'S', String(login)).read());
      expect(toAccountState(again, at, true)).toEqual(toAccountState(ledger, at, true));
      expect(again.entries.state).toEqual(ledger.entries.state);
      expect(again.entries.deals).toEqual(ledger.entries.deals);
      assertAddsUp(again.entries);
    });
    await fc.assert(property, { numRuns: 30 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a ledger of before, whose deals have neither a fee nor what closed them, still adds up', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  try {
    const terms = createTerms('hedging', 'USD');
    const ledger = new Ledger(terms);
    const { order } = ledger.trade(
      toTradeRequest({ action: 'open', symbol: 'EURUSD', side: 'buy', volume: '0.10' })!,
      NOON,
    );
    ledger.trade({ action: 'close', ticket: order!, volume: null }, NOON);
    await new LedgerFile(folder, 'S', '1').write(ledger.entries);
    const [name] = readdirSync(join(folder, 'ledgers')).filter((each) => each.endsWith('.jsonl'));
    const path = join(folder, 'ledgers', name!);
    const old = readFileSync(path, 'utf8').replaceAll(/,"(fee|outBy)":(\{"integer":"0"\}|"expert"|null)/g, '');
    expect(old).not.toMatch(/fee|outBy/);
    writeFileSync(path, old);
    const again = new Ledger(terms, await new LedgerFile(folder, 'S', '1').read());
    assertAddsUp(again.entries);
    expect(again.entries.deals.map(({ fee, outBy }) => [fee, outBy])).toEqual(Array(3).fill([0n, null]));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('old deals are summed up, and the balance still adds up', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  try {
    const terms = createTerms('hedging', 'USD');
    const [ledger, file] = [new Ledger({ ...terms, deposit: 10_000_000n }), new LedgerFile(folder, 'S', '1')];
    const open = toTradeRequest({ action: 'open', symbol: 'EURUSD', side: 'buy', volume: '0.01' })!;
    for (let count = 0; count < 6000; count += 1) {
      const { order } = ledger.trade(open, NOON);
      ledger.trade({ action: 'close', ticket: order!, volume: null }, NOON);
      if (count % 500 === 0) await file.write(ledger.entries);
    }
    await file.write(ledger.entries);
    const again = new Ledger(terms, await new LedgerFile(folder, 'S', '1').read());
    for (const { entries } of [ledger, again]) {
      assertAddsUp(entries);
      expect(entries.carried.count + entries.deals.length).toBe(12_001);
      expect(entries.deals.length).toBeLessThanOrEqual(10_000);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
