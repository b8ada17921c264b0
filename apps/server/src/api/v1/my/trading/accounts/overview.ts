import { DEFAULT_PER_PAGE, FIRST_CURSOR, tradingRoutes } from '@berth/contract';
import { LOWEST_ID } from '../../../../../db/ids.ts';
import { ValidationError } from '../../../../../errors.ts';
import { findRiskStates } from '../../../../../risk/states.ts';
import { listAccounts, sumAccounts } from '../../../../../trading/reading.ts';
import { isUuid, toFilterId } from '../../../../../validation/uuid.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

const toAfter = (after: string): string => {
  if (after === FIRST_CURSOR) return LOWEST_ID;
  if (isUuid(after)) return after;
  throw ValidationError.of(
    'after',
    'The after field must be the id of a terminal.',
    `Begin with after=${FIRST_CURSOR}.`,
  );
};

export const registerAccountsOverviewRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, tradingRoutes.getAccountsOverview, {
    handle: async ({ query, caller: { user }, request }) => {
      // An empty value does not mean all.
      for (const name of ['ids', 'project_id', 'after'] as const) {
        const isEmpty = query[name] === undefined && name in (request.query as object);
        if (isEmpty) throw ValidationError.of(name, `The ${name} field must not be empty.`);
      }
      const { after = FIRST_CURSOR, per_page: limit = DEFAULT_PER_PAGE } = query;
      const wanted = query.ids?.split(',').map((id) => id.trim());
      const filter = { ids: wanted, projectId: toFilterId(query.project_id) };
      const own = db.slowFor(user.id);
      const found = await listAccounts(own, user.id, { ...filter, after: toAfter(after), limit: limit + 1 });
      const totals = await sumAccounts(own, user.id, filter);
      const shown = found.slice(0, limit);
      const ids = shown.map(({ terminal_id: id }) => id);
      const states = await findRiskStates(own, ids);
      const accounts = shown.map((account) => ({ ...account, rules: states.get(account.terminal_id) ?? [] }));
      const next_cursor = found.length > limit ? (accounts.at(-1)?.terminal_id ?? null) : null;
      const pagination = { per_page: limit, next_cursor };
      return { ...toEnvelope('Accounts retrieved successfully.', { accounts, totals }), pagination };
    },
  });
};
