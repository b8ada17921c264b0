/**
 * The newest deals of a period. The API lists the oldest first; so a period with more than one page is halved, and its
 * newer half is read first, until there are enough: a scalper's year is not read to show a day of it.
 */
import type { Deal, DealPage } from '@berth/client';

export const MAX_SHOWN_DEALS = 1_000;
/** Shorter than this it is read to its end. */
const LEAST_MS = 60_000;

export interface ShownDeals {
  /** Newest first. */
  deals: Deal[];
  /** There are older ones in the period that are not among them. */
  isCut: boolean;
  completeUntil: string | null;
}

/** Reads a page: from, until (undefined: whatever comes), after which deal. */
export type ReadDeals = (from: number, to: number | undefined, after: string | undefined) => Promise<DealPage>;

const readRest = async (read: ReadDeals, from: number, to: number | undefined, first: DealPage) => {
  const deals = [...first.data];
  let after = first.pagination.next_cursor;
  while (after !== null && deals.length < MAX_SHOWN_DEALS * 2) {
    const page = await read(from, to, after);
    deals.push(...page.data);
    after = page.pagination.next_cursor;
  }
  return { deals, isCut: after !== null };
};

/** @returns oldest first; more than `wanted` may come */
const readPart = async (
  read: ReadDeals,
  part: { from: number; to: number | undefined; now: number },
  first: DealPage,
  wanted: number,
): Promise<{ deals: Deal[]; isCut: boolean }> => {
  const { from, to, now } = part;
  if (first.pagination.next_cursor === null) return { deals: first.data, isCut: false };
  const end = to ?? now;
  if (end - from <= LEAST_MS) return readRest(read, from, to, first);
  const middle = Math.floor((from + end) / 2);
  const newer = await readPart(read, { from: middle, to, now }, await read(middle, to, undefined), wanted);
  if (newer.isCut || newer.deals.length >= wanted) return { deals: newer.deals, isCut: true };
  const left = wanted - newer.deals.length;
  const older = await readPart(read, { from, to: middle, now }, await read(from, middle, undefined), left);
  return { deals: [...older.deals, ...newer.deals], isCut: older.isCut };
};

export const readNewestDeals = async (read: ReadDeals, from: number, now: number): Promise<ShownDeals> => {
  const first = await read(from, undefined, undefined);
  const { deals, isCut } = await readPart(read, { from, to: undefined, now }, first, MAX_SHOWN_DEALS);
  // By time, and by their numbers where that is the same: they rise, and are too large for a float.
  const ordered = deals.toSorted(
    (a, b) => Date.parse(b.at) - Date.parse(a.at) || (BigInt(a.ticket) < BigInt(b.ticket) ? 1 : -1),
  );
  const shown = ordered.slice(0, MAX_SHOWN_DEALS);
  return { deals: shown, isCut: isCut || shown.length < ordered.length, completeUntil: first.complete_until };
};
