import { operatorTerminalRoutes, TerminalStatus, whyRoutes, type OperatorTerminal } from '@berth/contract';
import { AppError } from '../../../errors.ts';
import { countAllTerminals, listAllTerminals } from '../../../terminals/all-terminals.ts';
import { explain } from '../../../terminals/why/explain.ts';
import { findFacts } from '../../../terminals/why/facts.ts';
import { parseNumbers } from '../../../validation/table-numbers.ts';
import { toFilterId } from '../../../validation/uuid.ts';
import { readPageInput } from '../../http/cursor.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { toBoundedPagination } from '../../http/pagination.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

export const registerOperatorTerminalRoutes = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, operatorTerminalRoutes.listAllTerminals, {
    handle: async (input) => {
      const { query, request, caller } = input;
      const own = services.db.slowFor(caller.user.id);
      const page = readPageInput<OperatorTerminal>(operatorTerminalRoutes.listAllTerminals, input, { id: 'uuid' });
      const filter = {
        search: query.search,
        userId: toFilterId(query.user_id),
        hostId: toFilterId(query.host_id),
        statuses: query.status === undefined ? undefined : parseNumbers(TerminalStatus, query.status),
      };
      const [data, total] = await Promise.all([
        listAllTerminals(own, filter, page),
        page.after ? 0 : countAllTerminals(own, filter),
      ]);
      const pagination = toBoundedPagination(page, total, data, toPublicUrl(request, services.config));
      return { ...toEnvelope('Terminals retrieved successfully.', data), pagination };
    },
  });

  registerRoute(context, whyRoutes.explainAnyTerminal, {
    handle: async ({ params, caller }) => {
      const facts = await findFacts(services.db.slowFor(caller.user.id), services, params.terminal_id);
      if (!facts) throw AppError.notFound('Terminal');
      return toEnvelope('Explained successfully.', explain(facts, 'operator'));
    },
  });
};
