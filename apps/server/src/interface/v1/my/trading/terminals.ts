import { terminalRoutes, type Static } from '@berth/contract';
import { toOffset } from '../../../../db/page.ts';
import { AppError } from '../../../../errors.ts';
import { createTerminal } from '../../../../lifecycle/create-terminal.ts';
import { destroyTerminal } from '../../../../lifecycle/destroy-terminal.ts';
import { findTerminal, readTerminals, type TerminalFilter } from '../../../../terminals/queries.ts';
import { isUuid } from '../../../../validation/uuid.ts';
import { toEnvelope, toRefusal } from '../../../http/envelope.ts';
import { toPageInput, toPagination } from '../../../http/pagination.ts';
import { toPublicUrl } from '../../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';

type ListQuery = Static<(typeof terminalRoutes)['listTerminals']['query']>;

const NO_REGION = -1;
const NO_PROJECT = '00000000-0000-0000-0000-000000000000';
const MAX_REGION = 2_147_483_647;

/** An unknown region or project in a filter matches nothing; it is not an error. */
const toFilter = (query: ListQuery): TerminalFilter => ({
  dateFrom: query.date_from,
  dateTo: query.date_to,
  search: query.search,
  statuses: query.status?.split(',').map((part) => Number(part.trim())),
  projectId: query.project_id === undefined || isUuid(query.project_id) ? query.project_id : NO_PROJECT,
  region: query.region === undefined || Math.abs(query.region) <= MAX_REGION ? query.region : NO_REGION,
});

const LIMIT_TEXT = 'Your plan allows no more than';

export const registerTerminalRoutes = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, terminalRoutes.listTerminals, {
    handle: async ({ query, caller, request }) => {
      const page = toPageInput(query);
      const filter = toFilter(query);
      const window = {
        sortBy: query.sort_by ?? 'created_at',
        direction: query.sort_direction ?? 'desc',
        limit: page.per_page,
        offset: toOffset(page),
      } as const;
      const { data, total } = await readTerminals(services.db, caller.user.id, filter, window);
      return { data, pagination: toPagination(page, total, data.length, toPublicUrl(request, services.config)) };
    },
  });

  registerRoute(context, terminalRoutes.createTerminal, {
    handle: async ({ body, caller, creation, reply }) => {
      const created = await createTerminal(services, caller.user, body, creation);
      if ('terminal' in created)
        return toEnvelope(`The terminal is being deployed.${created.warning}`, created.terminal);
      reply.header('x-error-code', 'plan_limit');
      return toRefusal(`${LIMIT_TEXT} ${created.limit} terminals. Delete one or change the plan.`);
    },
  });

  registerRoute(context, terminalRoutes.getTerminal, {
    assertFound: async ({ params, caller }) => {
      if (!(await findTerminal(services.db, caller.user.id, params.terminal_id))) throw AppError.notFound('Terminal');
    },
    handle: async ({ params, query, caller }) => {
      const withDetails = query.include === 'details';
      const terminal = await findTerminal(services.db, caller.user.id, params.terminal_id, { withDetails });
      if (!terminal) throw AppError.notFound('Terminal');
      return toEnvelope('Terminal retrieved successfully.', terminal);
    },
  });

  registerRoute(context, terminalRoutes.deleteTerminal, {
    handle: async ({ params, caller }) => {
      const { kind } = await destroyTerminal(services, caller.user.id, params.terminal_id);
      if (kind === 'not_found') throw AppError.notFound('Terminal');
      return toEnvelope('The terminal is being destroyed.', params.terminal_id);
    },
  });
};
