import type { SeenAccount } from '../account/accounts.ts';
import type { SeenNumbers } from '../risk/seen-numbers.ts';

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
    describeOpen: () => ({
      tickets: [...state.positions, ...state.orders].map(({ ticket }) => ticket).join(),
      prices: state.positions.map(({ price }) => price).join(),
    }),
  };
};
