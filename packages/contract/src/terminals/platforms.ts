/** Platforms of terminals: MetaTrader 5, MetaTrader 4, or the simulated one. */
export const platforms = ['mt5', 'mt4', 'sandbox'] as const;
export type Platform = (typeof platforms)[number];
