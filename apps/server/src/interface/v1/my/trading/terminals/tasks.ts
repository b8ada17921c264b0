import {
  findTaskRefusal,
  hasAbility,
  parseIsoDateTime,
  taskCatalogue,
  taskRoutes,
  TerminalStatus,
  TaskStatus,
  TaskType,
  toServiceResult,
  ResultStatus,
  type CreatedTask,
  type Static,
} from '@berth/contract';
import type { Queryable, Transaction } from '../../../../../db/database.ts';
import { toKey, toOffset } from '../../../../../db/page.ts';
import { AppError } from '../../../../../errors.ts';
import { holdOwnFile, toRefusalText } from '../../../../../lifecycle/create-tasks.ts';
import type { Creation } from '../../../../../lifecycle/creation.ts';
import { destroyTerminal, destroyWithin, type Destruction } from '../../../../../lifecycle/destroy-terminal.ts';
import type { Services } from '../../../../../services.ts';
import type { TaskOrder } from '../../../../../tasks/inbox.ts';
import { parsePayload, withChart } from '../../../../../tasks/payload.ts';
import {
  cancelTask,
  countTasks,
  findTask,
  listTasks,
  listTasksBySeq,
  listOwnTaskHistory,
  type InsertedTask,
  type ListedTask,
} from '../../../../../tasks/queries.ts';
import { toTask } from '../../../../../tasks/task-row.ts';
import { hasTerminal } from '../../../../../terminals/queries.ts';
import { findLoginWarnings } from '../../../../../terminals/same-account.ts';
import type { Caller } from '../../../../http/caller.ts';
import { readPageInput } from '../../../../http/cursor.ts';
import { showWarnings, toEnvelope, toRefusal, toWarningEnvelope } from '../../../../http/envelope.ts';
import { toPagination } from '../../../../http/pagination.ts';
import { createFileLinks, toPublicUrl } from '../../../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';
import { SLICE_BYTES } from '../../../../limits/answer-room.ts';
import { toTaskList } from './task-list.ts';

/** Without `page` and `per_page` the list is not paginated, but not endless either. */
const UNPAGED_LIMIT = 1000;

type CreateTaskInput = Static<(typeof taskRoutes)['createTask']['body']>;
type CreationAnswer = { ok: true; msg: string; data: CreatedTask; warnings?: string[] } | { ok: false; msg: string };

const assertTerminal = async (services: Services, caller: Caller, terminalId: string): Promise<void> => {
  if (!(await hasTerminal(services.db, caller.user.id, terminalId))) throw AppError.notFound('Terminal');
};

/** What an insert came to, as the interface says it. */
const toCreation = (type: TaskType, inserted: InsertedTask): CreationAnswer => {
  if (inserted.terminal_status === null) throw AppError.notFound('Terminal');
  if (inserted.created_at === null) {
    return toRefusal(toRefusalText(inserted.terminal_status, type));
  }
  return toEnvelope('Task created successfully.', {
    id: inserted.id,
    type,
    status: TaskStatus.PENDING,
    created_at: inserted.created_at,
  });
};

/** A user's TERMINAL_DESTROY is the deletion of the terminal, by another way. */
const toDestructionAnswer = (destruction: Destruction): CreationAnswer => {
  if (destruction.kind === 'not_found') throw AppError.notFound('Terminal');
  if (destruction.kind === 'under_way') return toRefusal('The terminal is being destroyed.');
  if (!destruction.task) return toRefusal('The terminal had no host yet and is destroyed.');
  return toCreation(TaskType.TERMINAL_DESTROY, { ...destruction.task, terminal_status: TerminalStatus.DESTROYING });
};

/** Creates the task inside the caller's transaction. */
const createWithin = async (tx: Transaction, services: Services, order: TaskOrder): Promise<CreationAnswer> => {
  await holdOwnFile(tx, order.userId, order.payload);
  if (order.type !== TaskType.TERMINAL_DESTROY)
    return toCreation(order.type, await services.inbox.addWithin(tx, order));
  return toDestructionAnswer(await destroyWithin(tx, services, order.userId, order.terminalId));
};

/** Without a key and a file, so that concurrent creations may share a statement. */
const createAtOnce = async (services: Services, order: TaskOrder): Promise<CreationAnswer> => {
  if (order.type !== TaskType.TERMINAL_DESTROY) return toCreation(order.type, await services.inbox.add(order));
  return toDestructionAnswer(await destroyTerminal(services, order.userId, order.terminalId));
};

/** A login to an account that another terminal uses is carried out, and its answer says so. */
const withWarning = async (
  db: Queryable,
  { userId, terminalId, type, payload }: TaskOrder,
  answer: CreationAnswer,
): Promise<CreationAnswer> => {
  if (!answer.ok) return answer;
  const warnings = await findLoginWarnings(db, { userId, terminalIds: [terminalId], type, payload });
  return toWarningEnvelope(answer.msg, answer.data, [...warnings.values()]);
};

const createTask = async (
  services: Services,
  caller: Caller,
  terminalId: string,
  body: CreateTaskInput,
  creation: Creation,
): Promise<CreationAnswer> => {
  const { type } = body;
  if (type === TaskType.TERMINAL_INSTALL) {
    await assertTerminal(services, caller, terminalId);
    return toRefusal(findTaskRefusal(TerminalStatus.PENDING, type) ?? '');
  }
  const { ability } = taskCatalogue[type];
  if (ability && !hasAbility(caller.abilities, ability)) throw new AppError('missing_ability');
  const order: TaskOrder = {
    userId: caller.user.id,
    terminalId,
    type,
    payload: parsePayload(type, withChart(type, body.payload, body.chart_id)),
    plannedAt: body.planned_at === undefined ? undefined : parseIsoDateTime(body.planned_at),
  };
  if (!creation.hasKey && order.payload.file_id === undefined) {
    return withWarning(services.db.slowFor(order.userId), order, await createAtOnce(services, order));
  }
  return creation.within(async (tx) => withWarning(tx, order, await createWithin(tx, services, order)));
};

const registerHistory = (context: RouteContext): void => {
  const { services } = context;
  registerRoute(context, taskRoutes.listTaskHistory, {
    handle: async ({ params, caller }) => {
      const { terminal_id: terminalId, task_id: taskId } = params;
      const moves = await listOwnTaskHistory(services.db, caller.user.id, terminalId, taskId);
      if (moves.length === 0) {
        await assertTerminal(services, caller, terminalId);
        throw AppError.notFound('Task');
      }
      return toEnvelope('History of the task retrieved successfully.', moves);
    },
  });
};

export const registerTaskRoutes = (context: RouteContext): void => {
  const { services, limits } = context;
  registerHistory(context);

  registerRoute(context, taskRoutes.createTask, {
    limit: limits.taskCreation,
    assertFound: ({ params, caller }) => assertTerminal(services, caller, params.terminal_id),
    handle: async ({ params, body, query, caller, creation }) =>
      showWarnings(await createTask(services, caller, params.terminal_id, body, creation), query.include),
  });

  registerRoute(context, taskRoutes.listTasks, {
    assertFound: ({ params, caller }) => assertTerminal(services, caller, params.terminal_id),
    handle: async (input) => {
      const { params, query, caller, request, reply } = input;
      const { terminal_id: terminalId } = params;
      const userId = caller.user.id;
      const own = services.db.slowFor(userId);
      const page = readPageInput<ListedTask>(taskRoutes.listTasks, input, { seq: 'number' });
      const isPaged = ['page', 'per_page', 'after'].some((name) => name in (request.query as object));
      const limit = isPaged ? page.per_page : UNPAGED_LIMIT;
      const [after = null] = toKey(page, 1);
      const window = { limit, offset: isPaged ? toOffset(page) : 0, after };
      // What is read last does not wait in memory for anything.
      const [, total] = await Promise.all([
        assertTerminal(services, caller, terminalId),
        isPaged && !page.after ? countTasks(own, userId, terminalId, query) : 0,
      ]);
      const toFileUrl = createFileLinks(request, services.config);
      const rows = await listTasks(own, { userId, terminalId, filter: query, ...window }, SLICE_BYTES);
      return toTaskList(rows, reply, {
        readWhole: (tasks) =>
          listTasksBySeq(
            own,
            userId,
            terminalId,
            tasks.map(({ seq }) => seq),
          ),
        toItem: (row) => toTask(row, toFileUrl),
        pagination: isPaged ? toPagination(page, total, rows, toPublicUrl(request, services.config)) : undefined,
      });
    },
  });

  registerRoute(context, taskRoutes.getTask, {
    handle: async ({ params, caller, request }) => {
      const row = await findTask(services.db, caller.user.id, params.terminal_id, params.task_id);
      if (!row) {
        await assertTerminal(services, caller, params.terminal_id);
        throw AppError.notFound('Task');
      }
      return toEnvelope('Task retrieved successfully.', {
        ok: row.status !== TaskStatus.FAILED && row.status !== TaskStatus.TERMINATED,
        task: toTask(row, createFileLinks(request, services.config)),
      });
    },
  });

  registerRoute(context, taskRoutes.cancelTask, {
    handle: async ({ params, caller }) => {
      const ids = { userId: caller.user.id, terminalId: params.terminal_id, taskId: params.task_id };
      const now = new Date(services.clock.now());
      const result = toServiceResult(
        ResultStatus.REFUSED,
        'cancel',
        'E_NOT_RUNNING',
        'The task was canceled by its user.',
        now,
      );
      const canceled = await services.db.transactionFor(ids.userId, (tx) => cancelTask(tx, ids, result));
      if (canceled) {
        services.ends.count([canceled]);
        return toEnvelope('The task was canceled.', canceled);
      }
      await assertTerminal(services, caller, params.terminal_id);
      const task = await findTask(services.db, ids.userId, ids.terminalId, ids.taskId);
      if (!task) throw AppError.notFound('Task');
      return toRefusal('The task can no longer be canceled: a host has it, or it has ended.');
    },
  });
};
