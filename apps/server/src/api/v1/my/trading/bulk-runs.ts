import {
  bulkRunRoutes,
  hasAbility,
  parseIsoDateTime,
  taskCatalogue,
  TaskType,
  type BulkRun,
  type BulkRunItem,
  type Static,
} from '@berth/contract';
import type { FastifyReply } from 'fastify';
import type { Queryable } from '../../../../db/database.ts';
import { AppError, ValidationError } from '../../../../errors.ts';
import { cancelRun, createRun, MAX_LARGE_RUNS, MAX_OPEN_RUNS, MAX_TASKS_PER_BATCH } from '../../../../runs/runs.ts';
import { deleteRun } from '../../../../runs/removal.ts';
import { countRuns, findRun, listRunItems, listRuns } from '../../../../runs/queries.ts';
import { findSameAccountWarnings } from '../../../../terminals/same-account.ts';
import { parsePayload } from '../../../../tasks/payload.ts';
import { isUuid } from '../../../../validation/uuid.ts';
import { withRunAudit } from '../../../http/audited.ts';
import { refuse, toEnvelope, toRefusal } from '../../../http/envelope.ts';
import { newestFirst, readPageInput } from '../../../http/cursor.ts';
import { toBoundedPagination } from '../../../http/pagination.ts';
import { toPublicUrl } from '../../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';
import { toTerminalFilter } from '../../../../terminals/asked-filter.ts';

/** Terminals may have been logged in to an account that others use: EAs on both would trade twice. */
const withWarnings = async (
  db: Queryable,
  userId: string,
  run: BulkRun,
  items: BulkRunItem[],
): Promise<BulkRunItem[]> => {
  const terminalIds = run.type === TaskType.ACCOUNT_LOGIN ? items.map(({ terminal_id: id }) => id) : [];
  const warnings = terminalIds.length > 0 ? await findSameAccountWarnings(db, { userId, terminalIds }) : new Map();
  return items.map((item) => ({ ...item, warnings: [warnings.get(item.terminal_id) ?? []].flat() }));
};

/** The answer where too many runs are open. */
export const toRunLimit = (reply: FastifyReply) => {
  return refuse(
    reply,
    'run_limit',
    `Too many runs are open: at most ${MAX_LARGE_RUNS} on more than ${MAX_TASKS_PER_BATCH} terminals, and ${MAX_OPEN_RUNS} in all. Wait until one is over, or cancel one.`,
  );
};

type RunInput = Static<(typeof bulkRunRoutes)['createBulkRun']['body']>;

/** What a run does, and when; not on which terminals. @throws ValidationError for a payload that its type does not have */
export const toRunRequest = (
  userId: string,
  { type, payload, planned_at: plannedAt, stagger_seconds: staggerSeconds }: Omit<RunInput, 'terminal_ids' | 'filter'>,
) => ({
  userId,
  type,
  payload: parsePayload(type, payload),
  plannedAt: plannedAt === undefined ? undefined : parseIsoDateTime(plannedAt),
  staggerSeconds,
});

/** @throws ValidationError for anything that cannot be an id */
const toMembers = ({ terminal_ids: named, filter = {} }: RunInput) => {
  if (!named) return toTerminalFilter(filter);
  const wrong = named.findIndex((id) => !isUuid(id));
  if (wrong === -1) return [...new Set(named.map((id) => id.toLowerCase()))];
  throw ValidationError.of(`terminal_ids.${wrong}`, `The terminal_ids.${wrong} field must be a valid UUID.`);
};

const registerReading = (context: RouteContext): void => {
  const { config, db } = context.services;
  registerRoute(context, bulkRunRoutes.listBulkRuns, {
    handle: async (input) => {
      const { caller, request } = input;
      const page = readPageInput<BulkRun>(bulkRunRoutes.listBulkRuns, input, newestFirst);
      const own = db.listsFor(caller.user.id);
      const [data, total] = await Promise.all([listRuns(own, caller.user.id, page), countRuns(own, caller.user.id)]);
      const pagination = toBoundedPagination(page, total, data, toPublicUrl(request, config));
      return { ...toEnvelope('Runs retrieved successfully.', data), pagination };
    },
  });
  registerRoute(context, bulkRunRoutes.getBulkRun, {
    handle: async ({ caller, params }) => {
      const run = await findRun(db.listsFor(caller.user.id), caller.user.id, params.run_id);
      if (!run) throw AppError.notFound('Run');
      return toEnvelope('Run retrieved successfully.', run);
    },
  });
  registerRoute(context, bulkRunRoutes.listBulkRunItems, {
    assertFound: async ({ caller, params }) => {
      if (!(await findRun(db, caller.user.id, params.run_id))) throw AppError.notFound('Run');
    },
    handle: async (input) => {
      const { caller, params, query, request } = input;
      const page = readPageInput<BulkRunItem>(bulkRunRoutes.listBulkRunItems, input, { number: 'number' });
      const own = db.listsFor(caller.user.id);
      const run = await findRun(own, caller.user.id, params.run_id);
      if (!run) throw AppError.notFound('Run');
      // They may be ten thousand, which are sorted.
      const slow = db.slowFor(caller.user.id);
      const items = await listRunItems(slow, caller.user.id, run.id, query.state, page);
      const data = query.include ? await withWarnings(own, caller.user.id, run, items) : items;
      const total = query.state === undefined ? run.total : run[query.state];
      const pagination = toBoundedPagination(page, total, data, toPublicUrl(request, config));
      return { ...toEnvelope('Items of the run retrieved successfully.', data), pagination };
    },
  });
};

export const registerBulkRunRoutes = (context: RouteContext): void => {
  const { services } = context;
  registerReading(context);
  registerRoute(context, bulkRunRoutes.createBulkRun, {
    handle: async ({ body, caller, actor, creation, reply }) => {
      const { ability } = taskCatalogue[body.type];
      if (ability && !hasAbility(caller.abilities, ability)) throw new AppError('missing_ability');
      const request = { ...toRunRequest(caller.user.id, body), members: toMembers(body) };
      const audited = withRunAudit<BulkRun | undefined>(
        creation,
        { actor, type: request.type, payload: request.payload },
        (made) => made && { id: made.id, terminals: made.total },
      );
      const run = await createRun(services, request, audited);
      return run ? toEnvelope('The run has begun.', run) : toRunLimit(reply);
    },
  });
  registerRoute(context, bulkRunRoutes.cancelBulkRun, {
    assertFound: async ({ caller, params }) => {
      if (!(await findRun(services.db, caller.user.id, params.run_id))) throw AppError.notFound('Run');
    },
    handle: async ({ caller, actor, params }) => {
      const { run, isDone } = await cancelRun(services, caller.user.id, params.run_id, actor);
      if (!run) throw AppError.notFound('Run');
      if (isDone) return toEnvelope('The run is being canceled.', run);
      return toRefusal(run.finished_at === null ? 'The run was canceled before.' : 'The run is over.');
    },
  });
  registerRoute(context, bulkRunRoutes.deleteBulkRun, {
    handle: async ({ caller, params, reply }) => {
      const { id } = caller.user;
      // It may have ten thousand members.
      const isDone = await services.db.transactionFor(id, (tx) => deleteRun(tx, id, params.run_id));
      if (isDone) return toEnvelope('The run was dismissed.', null);
      if (!(await findRun(services.db, id, params.run_id))) throw AppError.notFound('Run');
      return refuse(reply, 'run_open', 'The run is not over. Cancel it, or wait for its end.');
    },
  });
};
