import type { Deal, ReportedDeal } from '@berth/contract';

/** A deal as it was reported, or is kept: what older link programs did not say is null or absent. */
type KnownDeal = Omit<ReportedDeal, 'type'> & { type?: Deal['type'] | null | undefined };

/** The deal with all that can be said of it: without a type, the side says what it was. Pure. */
export const toDeal = <Known extends KnownDeal>({ type, fee = '0', out_by = null, ...deal }: Known) => ({
  ...deal,
  type: type ?? (deal.side === 'buy' || deal.side === 'sell' ? ('trade' as const) : deal.side),
  fee,
  out_by,
});
