import { DEFAULT_PER_PAGE, FIRST_CURSOR, parseIsoDateTime, tradingRoutes } from '@berth/contract';
import { AppError, ValidationError } from '../../../../../errors.ts';
import { assertTerminal } from '../../../../../terminals/queries.ts';
import { listDeals } from '../../../../../trading/deal-lists.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

const toAfter = (after: string): string => {
  if (after === FIRST_CURSOR) return '-1';
  if (/^\d{1,18}$/.test(after)) return after;
  throw ValidationError.of(
    'after',
    'The after field must be the ticket of a deal.',
    `Begin with after=${FIRST_CURSOR}.`,
  );
};

export const registerDealRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, tradingRoutes.listDeals, {
    assertFound: ({ params, caller }) => assertTerminal(db, caller.user.id, params.terminal_id),
    handle: async ({ params, query, caller: { user }, request }) => {
      // An empty value does not mean all.
      if (query.after === undefined && 'after' in (request.query as object))
        throw ValidationError.of('after', 'The after field must not be empty.');
      const { after = FIRST_CURSOR, from = '', to = '', per_page: limit = DEFAULT_PER_PAGE } = query;
      const filter = { after: toAfter(after), from: parseIsoDateTime(from), to: parseIsoDateTime(to), limit };
      const page = await listDeals(db.slowFor(user.id), user.id, params.terminal_id, filter);
      if (!page) throw AppError.notFound('Terminal');
      const { deals, complete_until } = page;
      const next_cursor = deals.length === limit ? (deals.at(-1)?.ticket ?? null) : null;
      const pagination = { per_page: limit, next_cursor };
      return { ...toEnvelope('Deals retrieved successfully.', deals), complete_until, pagination };
    },
  });
};
