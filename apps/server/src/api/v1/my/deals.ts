import { DEFAULT_PER_PAGE, FIRST_CURSOR, parseIsoDateTime, tradingRoutes } from '@berth/contract';
import { ValidationError } from '../../../errors.ts';
import { listAllDeals, type DealPosition } from '../../../trading/deal-lists.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

const BEGINNING: DealPosition = ['0001-01-01T00:00:00Z', '0', '-1'];
/** A time, an account and a ticket. They are no secret, and only deals of the caller follow any of them. */
const POSITION = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)_(\d{1,18})_(\d{1,18})$/;

const toAfter = (after: string): DealPosition => {
  if (after === FIRST_CURSOR) return BEGINNING;
  const [, at = '', accountId = '', ticket = ''] = POSITION.exec(after) ?? [];
  if (parseIsoDateTime(at)) return [at, accountId, ticket];
  throw ValidationError.of('after', 'The selected after is invalid.', `Begin with after=${FIRST_CURSOR}.`);
};

export const registerAllDealsRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, tradingRoutes.listAllDeals, {
    handle: async ({ query, caller: { user }, request }) => {
      // An empty value does not mean all.
      if (query.after === undefined && 'after' in (request.query as object))
        throw ValidationError.of('after', 'The after field must not be empty.');
      const { after = FIRST_CURSOR, from = '', to = '', per_page: limit = DEFAULT_PER_PAGE } = query;
      const filter = { after: toAfter(after), from: parseIsoDateTime(from), to: parseIsoDateTime(to), limit };
      const { deals, complete_until, last } = await listAllDeals(db.slowFor(user.id), user.id, filter);
      const next_cursor = deals.length === limit && last ? last.join('_') : null;
      const pagination = { per_page: limit, next_cursor };
      return { ...toEnvelope('Deals retrieved successfully.', deals), complete_until, pagination };
    },
  });
};
