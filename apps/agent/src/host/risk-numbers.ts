import type { SeenAccount } from '../account/accounts.ts';
import type { SeenNumbers } from '../risk/rule-state.ts';

/** Symbols of which a report says the prices. */
const MAX_QUOTES = 16;

/** The prices at which positions could be closed: of a buy that is the bid, of a sell the ask. */
const toQuotes = ({ positions }: SeenAccount['state']): Record<string, { bid?: string; ask?: string }> => {
  const quotes = new Map<string, { bid?: string; ask?: string }>();
  for (const { symbol, side, price } of positions) {
    const quote = quotes.get(symbol) ?? {};
    if (quotes.size >= MAX_QUOTES && !quotes.has(symbol)) continue;
    quotes.set(symbol, side === 'buy' ? { ...quote, bid: price } : { ...quote, ask: price });
  }
  return Object.fromEntries(quotes);
};

const toReport = (state: SeenAccount['state']): object => ({
  ...{ sequence: state.sequence, written_at: state.at, login: state.login, profit: state.profit },
  ...{ last_deal: state.last_deal, last_tick_at: state.risk?.last_tick_at ?? null, quotes: toQuotes(state) },
});

/** What risk rules look at. What a program of before does not say is not known, and nothing is concluded from it. */
export const toNumbers = (state: SeenAccount['state']): SeenNumbers => {
  const { login, server, balance, equity, credit, currency, last_deal, risk } = state;
  const tickAt = risk?.last_tick_at;
  return {
    ...{ login, server, balance, equity, credit, currency },
    lastDeal: last_deal,
    cash: risk?.cash ?? undefined,
    volumes: state.positions.map(({ volume }) => volume),
    positions: state.positions_total,
    orders: state.orders_total,
    isSynchronised: state.is_synchronized,
    isConnected: risk?.connected,
    // Both are of the terminal's clock, which may be another one than ours.
    tickAgeMs: typeof tickAt === 'string' ? Math.max(0, Date.parse(state.at) - Date.parse(tickAt)) : null,
    deniedBy: risk?.trade_denied_by,
    describeReport: () => toReport(state),
    describeOpen: () => ({
      tickets: [...state.positions, ...state.orders].map(({ ticket }) => ticket).join(),
      prices: state.positions.map(({ price }) => price).join(),
    }),
  };
};
