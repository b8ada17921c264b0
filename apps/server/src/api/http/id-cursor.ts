/** Lists that go on after the id of an item: ids are ordered by time. */
import { FIRST_CURSOR } from '@berth/contract';
import { ValidationError } from '../../errors.ts';
import { isUuid } from '../../validation/uuid.ts';

export const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
export const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Where a list goes on. @param beginning stands before its first item */
export const toAfter = <Beginning extends string | null>(
  after: string | undefined,
  beginning: Beginning,
): string | Beginning => {
  if (after === undefined || after === FIRST_CURSOR) return beginning;
  if (isUuid(after)) return after;
  throw ValidationError.of('after', 'The after field must be the id of an item.', `Begin with after=${FIRST_CURSOR}.`);
};

/** @param items one more than the page has, where there is more @param toId what the list is ordered by */
export const toPageBy = <Item>(items: readonly Item[], limit: number, toId: (item: Item) => string) => {
  const data = items.slice(0, limit);
  const last = data.at(-1);
  return { data, pagination: { per_page: limit, next_cursor: items.length > limit && last ? toId(last) : null } };
};

/** The same for items with an id. */
export const toPage = <Item extends { id: string }>(items: readonly Item[], limit: number) =>
  toPageBy(items, limit, ({ id }) => id);
