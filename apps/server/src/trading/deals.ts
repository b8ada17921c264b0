/**
 * Takes deals, without a gap and without a double. The server has a cursor for each account: the newest deal that it has. A
 * host reports what follows the cursor; what follows anything later would leave a gap and is refused, what is before it is
 * there already. So after any outage, of either side, the host begins where the cursor says.
 *
 * A host may make deals up: how many are kept, taken in a day, and written to the log of events is bounded per account.
 */
import type { AccountRefusal, Deal, DealCursor, ReportedAccount, ReportedDeal } from '@berth/contract';
import type { Queryable, Transaction } from '../db/database.ts';
import { recordEvents, type Occurrence } from '../events/record.ts';
import {
  ensureCursors,
  findCursors,
  insertDeals,
  lockCursors,
  writeCursors,
  type LockedCursor,
  type NewDeal,
} from './deal-queries.ts';

/** A deal as it was reported, or is kept: what older link programs did not say is null or absent. */
type KnownDeal = Omit<ReportedDeal, 'type'> & { type?: Deal['type'] | null | undefined };

/** The deal with all that can be said of it: without a type, the side says what it was. Pure. */
export const toDeal = <Known extends KnownDeal>({ type, fee = '0', out_by = null, ...deal }: Known) => ({
  ...deal,
  type: type ?? (deal.side === 'buy' || deal.side === 'sell' ? ('trade' as const) : deal.side),
  fee,
  out_by,
});

type ReportedDeals = ReportedAccount & { deals: NonNullable<ReportedAccount['deals']> };

/** What came of it: how far the deals of each terminal go now, and which were refused. */
export interface TakenDeals {
  cursors: DealCursor[];
  refused: { terminal_id: string; reason: AccountRefusal }[];
}

/** Deals from before the account was first seen are history, and nobody's news. The clocks of brokers are not exact. */
const NEWS_MARGIN_MS = 300_000;

const toNumber = (ticket: string | null): bigint => (ticket === null ? -1n : BigInt(ticket));

/** Each once, by rising tickets, without those that the server has. */
const toFresh = (deals: readonly ReportedDeal[], lastTicket: string | null): Deal[] => {
  const last = toNumber(lastTicket);
  const fresh = new Map<bigint, Deal>();
  for (const deal of deals) {
    const ticket = BigInt(deal.ticket);
    if (ticket > last) fresh.set(ticket, toDeal(deal));
  }
  return [...fresh].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, deal]) => deal);
};

/** The later of two times, of which the second is no later than now. */
const toLater = (known: string | null, said: string, now: string): string => {
  const bounded = Date.parse(said) < Date.parse(now) ? new Date(said).toISOString() : now;
  return known !== null && Date.parse(known) >= Date.parse(bounded) ? known : bounded;
};

/** What an account began with: the first deal of all, but for what moves no money of its owner. */
const toFirstDeposit = (deals: readonly Deal[]): string | null => {
  const first = deals.find(({ type }) => type === 'balance' || type === 'trade');
  return first?.type === 'balance' && /^[^-]*[1-9]/.test(first.profit) ? first.profit : null;
};

const toMoved = (cursor: LockedCursor, { after, deals, is_complete, complete_until }: ReportedDeals['deals']) => {
  const fresh = toFresh(deals, cursor.last_ticket);
  const taken = fresh.slice(0, Math.floor(cursor.deals_left));
  const isAll = taken.length === fresh.length;
  const last = taken.at(-1);
  const until = isAll && is_complete ? complete_until : last?.at;
  const moved: LockedCursor = {
    ...cursor,
    last_ticket: last?.ticket ?? cursor.last_ticket,
    complete_until: until === undefined ? cursor.complete_until : toLater(cursor.complete_until, until, cursor.now),
    deals_left: cursor.deals_left - taken.length,
    first_deposit: after === null && cursor.last_ticket === null ? toFirstDeposit(taken) : cursor.first_deposit,
  };
  return { moved, taken, isAll };
};

/** The deals that are told, as far as the account's allowance goes; the next one that is told says how many were not. */
const toEvents = (cursor: LockedCursor, deals: readonly Deal[]): Occurrence[] => {
  const { user_id: userId, terminal_id: terminalId, name, login, currency } = cursor;
  const since = Date.parse(cursor.created_at) - NEWS_MARGIN_MS;
  return deals.flatMap((deal): Occurrence[] => {
    if (Date.parse(deal.at) < since) return [];
    if (cursor.events_left < 1) {
      cursor.events_skipped += 1;
      return [];
    }
    const skipped = cursor.events_skipped > 0 ? { skipped: cursor.events_skipped } : {};
    cursor.events_left -= 1;
    cursor.events_skipped = 0;
    return [{ type: 'account.deal', userId, terminalId, data: { name, login, currency, ...deal, ...skipped } }];
  });
};

const toCursor = ({ terminal_id, last_ticket, complete_until }: DealCursor): DealCursor => ({
  terminal_id,
  last_ticket,
  complete_until,
});

/**
 * Takes the deals that a host reports of its terminals, in one transaction. The cursors are locked in the order of their
 * terminals, so that neither a repeated call nor another server takes the same ones meanwhile.
 */
export const takeDeals = async (
  tx: Transaction,
  hostId: string,
  reported: readonly ReportedDeals[],
): Promise<TakenDeals> => {
  const byId = new Map(reported.map((each) => [each.terminal_id.toLowerCase(), each]));
  const asked = new Map([...byId].sort(([a], [b]) => (a < b ? -1 : 1)));
  await ensureCursors(tx, hostId, [...asked.values()]);
  const cursors = new Map((await lockCursors(tx, hostId, [...asked.values()])).map((row) => [row.terminal_id, row]));
  const refused: TakenDeals['refused'] = [];
  const moved: LockedCursor[] = [];
  const deals: NewDeal[] = [];
  const occurrences: Occurrence[] = [];
  for (const [terminal_id, each] of asked) {
    const cursor = cursors.get(terminal_id);
    if (!cursor) {
      refused.push({ terminal_id, reason: 'other_account' });
    } else if (toNumber(each.deals.after) > toNumber(cursor.last_ticket)) {
      refused.push({ terminal_id, reason: 'gap_in_deals' });
    } else {
      const { moved: next, taken, isAll } = toMoved(cursor, each.deals);
      if (!isAll) refused.push({ terminal_id, reason: 'too_many_deals' });
      occurrences.push(...toEvents(next, taken));
      deals.push(...taken.map((deal) => ({ ...deal, account_id: next.account_id, user_id: next.user_id })));
      moved.push(next);
      cursors.set(terminal_id, next);
    }
  }
  const counts = await insertDeals(tx, deals);
  await writeCursors(
    tx,
    moved.map((cursor) => ({ ...cursor, kept: cursor.kept + (counts.get(cursor.account_id) ?? 0) })),
  );
  await recordEvents(tx, occurrences);
  return { refused, cursors: [...cursors.values()].map(toCursor) };
};

/** How far the deals of these terminals go, for hosts that ask. */
export const readCursors = async (
  db: Queryable,
  hostId: string,
  asked: readonly ReportedAccount[],
): Promise<DealCursor[]> => {
  if (asked.length === 0) return [];
  const found = new Map((await findCursors(db, hostId, asked)).map((cursor) => [cursor.terminal_id, toCursor(cursor)]));
  return asked.map(
    ({ terminal_id }) =>
      found.get(terminal_id.toLowerCase()) ?? { terminal_id, last_ticket: null, complete_until: null },
  );
};
