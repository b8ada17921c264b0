import {
  CursorPagination,
  Envelope,
  FIRST_CURSOR,
  notEmpty,
  Nullable,
  NullableTimestamp,
  perPageQuery,
  Type,
  Uuid,
  type Static,
} from '../schema.ts';
import {
  AccountOverview,
  AccountPoint,
  AccountTotals,
  Deal,
  InitialBalance,
  TradingAccount,
} from '../trading/account.ts';
import { historySteps, KEEP_DEALS_DAYS, MAX_HISTORY_POINTS, type HistoryStep } from '../trading/limits.ts';
import { MAX_OVERVIEW_TERMINALS } from '../terminals/samples.ts';
import { defineRoute } from './route.ts';
import { toIdsErrors, toTimeRangeErrors } from './terminals.ts';

const user = { tag: 'Accounts and deals', auth: 'user', ability: 'read', method: 'GET' } as const;

const time = (description: string) => Type.Optional(Type.String({ isoDateTime: true, description }));
const after = Type.Optional(
  Type.String({
    ...notEmpty,
    maxLength: 200,
    description: `Goes on there (\`next_cursor\`); \`${FIRST_CURSOR}\`: from the beginning`,
  }),
);

const complete_until = NullableTimestamp('Until then there is no gap; null: not known yet');

/** A deal among those of many terminals. */
export const AccountDeal = Type.Object({ terminal_id: Uuid('Terminal'), login: Type.String(), ...Deal.properties });
/** A deal among those of many terminals. */
export type AccountDeal = Static<typeof AccountDeal>;

export const tradingRoutes = {
  getAccount: defineRoute({
    ...user,
    url: '/v1/my/trading/terminals/:terminal_id/account',
    summary: 'Read the account of a terminal: money, positions, pending orders',
    errors: ['no_account_data'],
    response: Envelope(TradingAccount),
  }),
  updateAccount: defineRoute({
    tag: 'Accounts and deals',
    auth: 'user',
    ability: 'write',
    method: 'PATCH',
    audit: 'trading_account.update',
    url: '/v1/my/trading/terminals/:terminal_id/account',
    summary: 'Say what the account of a terminal began with',
    input: 'patch',
    isStrict: true,
    body: Type.Object({
      initial_balance: Type.Optional(
        Nullable('string', {
          pattern: '^(?=.*[1-9])[0-9]{1,15}(\\.[0-9]{1,8})?$',
          maxLength: 25,
          examples: ['100000.00'],
          description:
            'What limits of risk rules count from, in the currency of the account; null: its first deposit, where that is known. It is kept for the account, whichever of your terminals uses it',
        }),
      ),
    }),
    response: Envelope(InitialBalance),
  }),
  getAccountHistory: defineRoute({
    ...user,
    url: '/v1/my/trading/terminals/:terminal_id/account/history',
    summary: 'Read balance and equity of a terminal over time',
    query: Type.Object({
      from: time('ISO 8601; as far back as the step goes'),
      to: time('ISO 8601; now'),
      step: Type.Optional(
        Type.Unsafe<HistoryStep>({
          type: 'integer',
          enum: [...historySteps],
          description: 'Seconds of one point: 60 for a day, 900 for 30 days, 3600 and 86400 for two years',
        }),
      ),
    }),
    rules: toTimeRangeErrors,
    response: Envelope(
      Type.Object({
        step_seconds: Type.Unsafe<HistoryStep>({ type: 'integer', enum: [...historySteps] }),
        points: Type.Array(AccountPoint, {
          description:
            `Oldest first, of the account that the terminal is logged in to now; of a longer period the newest ${MAX_HISTORY_POINTS}. ` +
            'There is no point where nothing was reported; the last one is under way',
        }),
      }),
    ),
  }),
  listDeals: defineRoute({
    ...user,
    url: '/v1/my/trading/terminals/:terminal_id/deals',
    summary: `List the deals of a terminal's account by their ticket, oldest first; kept for ${KEEP_DEALS_DAYS} days`,
    query: Type.Object({
      after: Type.Optional(
        Type.String({
          ...notEmpty,
          maxLength: 20,
          description: `Goes on after the deal with this ticket. \`next_cursor\` is one; \`${FIRST_CURSOR}\`: from the beginning`,
        }),
      ),
      from: time('ISO 8601: only deals made then or later'),
      to: time('ISO 8601: only deals made before'),
      ...perPageQuery(),
    }),
    rules: toTimeRangeErrors,
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(Deal),
      complete_until,
      pagination: CursorPagination,
    }),
  }),
  listAllDeals: defineRoute({
    ...user,
    url: '/v1/my/deals',
    summary: 'List the deals of all terminals by their time, oldest first',
    query: Type.Object({
      after,
      from: time('ISO 8601: only deals made then or later'),
      to: time('ISO 8601: only deals made before'),
      ...perPageQuery(),
    }),
    rules: toTimeRangeErrors,
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(AccountDeal),
      complete_until: NullableTimestamp(
        'Until then there is no gap in any account; null: of one of them it is not known yet. Deals before may still come behind where a reader is, deals until then do not',
      ),
      pagination: CursorPagination,
    }),
  }),
  getAccountsOverview: defineRoute({
    ...user,
    url: '/v1/my/trading/accounts/overview',
    summary: 'Read the money of many terminals, and the totals of each currency',
    query: Type.Object({
      ids: Type.Optional(
        Type.String({
          ...notEmpty,
          minLength: 1,
          maxLength: MAX_OVERVIEW_TERMINALS * 40,
          uuidList: true,
          description: `Terminals, comma-separated, up to ${MAX_OVERVIEW_TERMINALS}; all without it`,
        }),
      ),
      project_id: Type.Optional(Type.String({ ...notEmpty, maxLength: 255, description: 'Only terminals in it' })),
      after,
      ...perPageQuery(),
    }),
    rules: toIdsErrors(MAX_OVERVIEW_TERMINALS),
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Object({
        accounts: Type.Array(AccountOverview, {
          description: 'By the id of the terminal; without those of which nothing was reported',
        }),
        totals: Type.Array(AccountTotals, { description: 'Of all that match, not of this page alone' }),
      }),
      pagination: CursorPagination,
    }),
  }),
};
