import { MAX_LISTED_IDS, taskRoutes, TaskStatus, TaskType, type Static } from '@berth/contract';
import { toKey, toOffset } from '../../../db/page.ts';
import { findRunsOfTasks } from '../../../runs/queries.ts';
import {
  countAccountTasks,
  findTerminalNames,
  listAccountTasks,
  listAccountTasksById,
  type AccountFilter,
} from '../../../tasks/account-list.ts';
import type { ListedTask } from '../../../tasks/queries.ts';
import { toTask, type TaskRow } from '../../../tasks/task-row.ts';
import { ValidationError } from '../../../errors.ts';
import { parseNumbers } from '../../../validation/table-numbers.ts';
import { toFilterId } from '../../../validation/uuid.ts';
import { readPageInput } from '../../http/cursor.ts';
import { toBoundedPagination } from '../../http/pagination.ts';
import { createFileLinks, toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';
import { SLICE_BYTES } from '../../limits/room.ts';
import { toTaskList } from './trading/terminals/task-list.ts';

export const registerAccountTaskRoutes = (context: RouteContext): void => {
  const { config, db, taskSegments } = context.services;
  registerRoute(context, taskRoutes.listAllTasks, {
    handle: async (input) => {
      const { query, caller, request, reply } = input;
      const userId = caller.user.id;
      // An empty list does not mean all.
      if (query.ids === undefined && 'ids' in (request.query as object))
        throw ValidationError.of('ids', 'The ids field must be a list of UUIDs, comma-separated.');
      // All named tasks are wanted, unless the query says otherwise.
      const perPage = query.ids === undefined ? undefined : MAX_LISTED_IDS;
      const page = readPageInput<ListedTask>(taskRoutes.listAllTasks, input, { seq: 'number' }, perPage);
      const filter: AccountFilter = {
        statuses: query.status === undefined ? undefined : parseNumbers(TaskStatus, query.status),
        types: query.type === undefined ? undefined : parseNumbers(TaskType, query.type),
        terminalId: toFilterId(query.terminal_id),
        projectId: toFilterId(query.project_id),
        ids: query.ids?.split(',').map((id) => id.trim()),
        isOnePerRun: query.one_per_run === true,
      };
      const [after = null] = toKey(page, 1);
      const own = db.slowFor(userId);
      // The tasks are read last: they may be large, and should not be held in memory while others are counted.
      const counted = page.after ? undefined : await countAccountTasks(own, taskSegments, userId, filter);
      const place = counted?.findPage(toOffset(page), page.per_page) ?? { from: null, below: after, offset: 0 };
      const rows = await listAccountTasks(own, userId, filter, { ...place, limit: page.per_page }, SLICE_BYTES);
      const names = query.include === 'terminal' ? await findTerminalNames(own, userId, rows) : undefined;
      const runs = filter.isOnePerRun ? await findRunsOfTasks(own, userId, rows) : undefined;
      const toFileUrl = createFileLinks(request, config);
      const toItem = (row: TaskRow) => {
        const name = names?.get(row.terminal_id);
        const run = runs?.get(row.id);
        return {
          ...toTask(row, toFileUrl),
          ...(name === undefined ? {} : { terminal_name: name }),
          ...(run && { run }),
        };
      };
      return toTaskList(rows, reply, {
        readWhole: (tasks) =>
          listAccountTasksById(
            own,
            userId,
            tasks.map(({ id }) => id),
          ),
        toItem,
        pagination: toBoundedPagination(page, counted?.total ?? 0, rows, toPublicUrl(request, config)),
      }) as Static<typeof taskRoutes.listAllTasks.response>;
    },
  });
};
