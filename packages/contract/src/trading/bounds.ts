/**
 * Positions and pending orders of a terminal within limits. A host is a stranger's machine: agents stay within these so that
 * their reports are accepted, and the server enforces them.
 */
import { toBoundedLine } from '../text.ts';
import type { PendingOrder, Position } from './account.ts';
import { MAX_POSITIONS_BYTES, MAX_REPORTED_POSITIONS } from './limits.ts';

const MAX_TEXT = 64;

const toText = <Item extends { symbol: string; comment: string }>(item: Item): Item => ({
  ...item,
  symbol: toBoundedLine(item.symbol, MAX_TEXT),
  comment: toBoundedLine(item.comment, MAX_TEXT),
});

/**
 * As many of the positions, and then of the orders, as are kept, in order. Idempotent. Pure.
 * @example
 * import { toBoundedPositions } from '@berth/contract/values';
 * toBoundedPositions([], []); // => { positions: [], orders: [] }
 */
export const toBoundedPositions = (
  positions: readonly Position[],
  orders: readonly PendingOrder[],
): { positions: Position[]; orders: PendingOrder[] } => {
  let leftBytes = MAX_POSITIONS_BYTES;
  const encoder = new TextEncoder();
  const take = <Item extends { symbol: string; comment: string }>(items: readonly Item[]): Item[] => {
    const taken: Item[] = [];
    for (const each of items.slice(0, MAX_REPORTED_POSITIONS)) {
      const item = toText(each);
      leftBytes -= encoder.encode(JSON.stringify(item)).length + 1;
      if (leftBytes < 0) break;
      taken.push(item);
    }
    return taken;
  };
  return { positions: take(positions), orders: take(orders) };
};
