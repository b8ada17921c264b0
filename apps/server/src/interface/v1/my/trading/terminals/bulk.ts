import { MAX_BULK_TERMINALS, taskRoutes, terminalFilters, Type } from '@berth/contract';
import type { FastifyRequest } from 'fastify';
import { ValidationError } from '../../../../../errors.ts';
import { createTasks } from '../../../../../lifecycle/create-tasks.ts';
import type { Services } from '../../../../../services.ts';
import { parsePayload } from '../../../../../tasks/payload.ts';
import { listTerminalIds } from '../../../../../terminals/queries.ts';
import { toUnknownErrors } from '../../../../../validation/unknown-fields.ts';
import { isUuid } from '../../../../../validation/uuid.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';
import { toTerminalFilter } from '../../../../http/terminal-filter.ts';

const Filter = Type.Object(terminalFilters);

/** A mistyped name in a filter is not ignored as elsewhere: the task would reach terminals that nobody meant. */
const assertKnown = ({ body }: FastifyRequest): void => {
  const { filter } = body as { filter: Record<string, unknown> };
  const errors = toUnknownErrors(Filter, filter, 'filter.');
  if (errors.length > 0) throw new ValidationError(errors);
};

const findMeant = async (
  { db }: Services,
  userId: string,
  filter: Parameters<typeof toTerminalFilter>[0],
): Promise<string[]> => {
  const ids = await listTerminalIds(db.slowFor(userId), userId, toTerminalFilter(filter), MAX_BULK_TERMINALS + 1);
  if (ids.length <= MAX_BULK_TERMINALS) return ids;
  const text = `The filter field matches more than ${MAX_BULK_TERMINALS} terminals. Narrow it, or name their ids in parts.`;
  throw ValidationError.of('filter', text);
};

/** Each once: a terminal that is named twice is meant once. */
const toDistinct = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))];

export const registerBulkRoutes = (context: RouteContext): void => {
  const { services, limits } = context;
  registerRoute(context, taskRoutes.createTasks, {
    limit: limits.taskCreation,
    handle: async ({ body, caller, creation, request }) => {
      const { type, filter, terminal_ids: named = [] } = body;
      const userId = caller.user.id;
      const payload = parsePayload(type, body.payload);
      if (filter) assertKnown(request);
      const asked = filter ? await findMeant(services, userId, filter) : toDistinct(named);
      const order = { userId, type, payload, terminalIds: asked.filter(isUuid) };
      const created = new Map(
        (await createTasks(services.inbox, order, creation)).map((item) => [item.terminal_id, item]),
      );
      const data = asked.map(
        (id) => created.get(id) ?? { terminal_id: id, ok: false, task_id: null, msg: 'Terminal not found.' },
      );
      const count = data.filter(({ ok }) => ok).length;
      const msg =
        asked.length === 0 ? 'No terminal matches the filter.' : `Tasks created: ${count} of ${asked.length}.`;
      return { ok: count > 0, msg, data };
    },
  });
};
