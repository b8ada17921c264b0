import {
  findTaskRefusal,
  hasAbility,
  isAuditedTask,
  parseIsoDateTime,
  taskCatalogue,
  taskRoutes,
  TerminalStatus,
  TaskStatus,
  TaskType,
  toServiceResult,
  ResultStatus,
  type CreatedTask,
} from '@berth/contract';
import type { Transaction } from '../../../../../db/database.ts';
import { toKey, toOffset } from '../../../../../db/page.ts';
import { AppError } from '../../../../../errors.ts';
import { createTask, type TaskOutcome } from '../../../../../tasks/create-task.ts';
import { destroyWithin, type Destruction } from '../../../../../deployment/destroy-terminal.ts';
import type { CoreServices, TaskServices } from '../../../../../services.ts';
import type { TaskRequest } from '../../../../../tasks/inbox.ts';
import { parsePayload, withChart } from '../../../../../tasks/payload.ts';
import {
  cancelTask,
  countTasks,
  findTask,
  listTasks,
  listTasksBySeq,
  listOwnTaskHistory,
  type ListedTask,
} from '../../../../../tasks/queries.ts';
import { toTask } from '../../../../../tasks/task-row.ts';
import { hasTerminal } from '../../../../../terminals/queries.ts';
import { toTaskFields, withAudit } from '../../../../http/audited.ts';
import type { Caller } from '../../../../http/caller.ts';
import { readPageInput } from '../../../../http/cursor.ts';
import { showWarnings, toEnvelope, toRefusal, toWarningEnvelope } from '../../../../http/envelope.ts';
import { toPagination } from '../../../../http/pagination.ts';
import { createFileLinks, toPublicUrl } from '../../../../http/public-url.ts';
import { registerRoute, type RouteContext, type RouteInput } from '../../../../http/route.ts';
import { SLICE_BYTES } from '../../../../limits/room.ts';
import { toTaskList } from './task-list.ts';

/** Without `page` and `per_page` the list is not paginated, but still limited. */
const UNPAGED_LIMIT = 1000;

type CreationAnswer = { ok: true; msg: string; data: CreatedTask; warnings?: string[] } | { ok: false; msg: string };

const assertKnownTerminal = async (
  { db }: Pick<CoreServices, 'db'>,
  caller: Caller,
  terminalId: string,
): Promise<void> => {
  if (!(await hasTerminal(db, caller.user.id, terminalId))) throw AppError.notFound('Terminal');
};

/** The outcome of a creation, in the API's format. */
const toCreation = (type: TaskType, outcome: TaskOutcome, warnings: readonly string[] = []): CreationAnswer => {
  if (outcome.kind === 'no_terminal') throw AppError.notFound('Terminal');
  if (outcome.kind === 'refused' && outcome.code) throw new AppError(outcome.code);
  if (outcome.kind === 'refused') return toRefusal(outcome.reason);
  const { id, status, createdAt: created_at } = outcome;
  return toWarningEnvelope('Task created successfully.', { id, type, status, created_at }, warnings);
};

/** A user's TERMINAL_DESTROY is another way to delete the terminal. */
const toDestructionAnswer = (destruction: Destruction): CreationAnswer => {
  if (destruction.kind === 'not_found') throw AppError.notFound('Terminal');
  if (destruction.kind === 'under_way') return toRefusal('The terminal is being destroyed.');
  if (!destruction.task) return toRefusal('The terminal had no host yet and is destroyed.');
  return toCreation(TaskType.TERMINAL_DESTROY, destruction.task);
};

const createFromInput = async (
  services: CoreServices & TaskServices,
  {
    caller,
    actor,
    body,
    creation,
  }: Pick<RouteInput<typeof taskRoutes.createTask>, 'caller' | 'actor' | 'body' | 'creation'>,
  terminalId: string,
): Promise<CreationAnswer> => {
  const { type } = body;
  if (type === TaskType.TERMINAL_INSTALL) {
    await assertKnownTerminal(services, caller, terminalId);
    return toRefusal(findTaskRefusal(TerminalStatus.PENDING, type) ?? '');
  }
  const { ability } = taskCatalogue[type];
  if (ability && !hasAbility(caller.abilities, ability)) throw new AppError('missing_ability');
  const request: TaskRequest = {
    userId: caller.user.id,
    terminalId,
    type,
    payload: parsePayload(type, withChart(type, body.payload, body.chart_id)),
    plannedAt: body.planned_at === undefined ? undefined : parseIsoDateTime(body.planned_at),
  };
  if (type === TaskType.TERMINAL_DESTROY) {
    const audited = withAudit<Destruction>(creation, actor, ({ kind }) =>
      kind === 'started' ? { action: 'terminal.delete', target: { type: 'terminal', id: terminalId } } : undefined,
    );
    const work = (tx: Transaction) => destroyWithin(tx, services, request.userId, terminalId);
    return toDestructionAnswer(await audited.within(work));
  }
  const after = toTaskFields(type, request.payload);
  const audited = withAudit<{ outcome: TaskOutcome }>(creation, actor, ({ outcome: { kind } }) =>
    kind === 'created' ? { action: 'task.create', target: { type: 'terminal', id: terminalId }, after } : undefined,
  );
  const { outcome, warnings } = await createTask(services, request, isAuditedTask(type) ? audited : creation);
  return toCreation(type, outcome, warnings);
};

const registerHistory = (context: RouteContext): void => {
  const { services } = context;
  registerRoute(context, taskRoutes.listTaskHistory, {
    handle: async ({ params, caller }) => {
      const { terminal_id: terminalId, task_id: taskId } = params;
      const moves = await listOwnTaskHistory(services.db, caller.user.id, terminalId, taskId);
      if (moves.length === 0) {
        await assertKnownTerminal(services, caller, terminalId);
        throw AppError.notFound('Task');
      }
      return toEnvelope('History of the task retrieved successfully.', moves);
    },
  });
};

const registerList = (context: RouteContext): void => {
  const { services } = context;
  registerRoute(context, taskRoutes.listTasks, {
    assertFound: ({ params, caller }) => assertKnownTerminal(services, caller, params.terminal_id),
    handle: async (input) => {
      const { params, query, caller, request, reply } = input;
      const { terminal_id: terminalId } = params;
      const userId = caller.user.id;
      const own = services.db.slowFor(userId);
      const page = readPageInput<ListedTask>(taskRoutes.listTasks, input, { seq: 'number' });
      const isPaged = ['page', 'per_page', 'after'].some((name) => name in (request.query as object));
      const limit = isPaged ? page.per_page : UNPAGED_LIMIT;
      const [after = null] = toKey(page, 1);
      // The tasks are read last: they may be large, and should not be held in memory while others are counted.
      const [, counted] = await Promise.all([
        assertKnownTerminal(services, caller, terminalId),
        isPaged && !page.after
          ? countTasks(own, services.taskSegments, { userId, terminalId, filter: query })
          : undefined,
      ]);
      const toFileUrl = createFileLinks(request, services.config);
      const place = counted?.findPage(toOffset(page), limit) ?? { below: after, offset: 0 };
      const rows = await listTasks(own, { userId, terminalId, filter: query, limit, ...place }, SLICE_BYTES);
      return toTaskList(rows, reply, {
        readWhole: (tasks) =>
          listTasksBySeq(
            own,
            userId,
            terminalId,
            tasks.map(({ seq }) => seq),
          ),
        toItem: (row) => toTask(row, toFileUrl),
        pagination: isPaged
          ? toPagination(page, counted?.total ?? 0, rows, toPublicUrl(request, services.config))
          : undefined,
      });
    },
  });
};

export const registerTaskRoutes = (context: RouteContext): void => {
  const { services } = context;
  registerHistory(context);
  registerList(context);

  registerRoute(context, taskRoutes.createTask, {
    assertFound: ({ params, caller }) => assertKnownTerminal(services, caller, params.terminal_id),
    handle: async (input) =>
      showWarnings(await createFromInput(services, input, input.params.terminal_id), input.query.include),
  });

  registerRoute(context, taskRoutes.getTask, {
    handle: async ({ params, caller, request }) => {
      const row = await findTask(services.db, caller.user.id, params.terminal_id, params.task_id);
      if (!row) {
        await assertKnownTerminal(services, caller, params.terminal_id);
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
      const canceled = await services.db.transactionFor(ids.userId, async (tx) => {
        const task = await cancelTask(tx, ids, result);
        if (task) await services.ends.note(tx, [task], { isQuiet: true });
        return task;
      });
      if (canceled) return toEnvelope('The task was canceled.', canceled);
      await assertKnownTerminal(services, caller, params.terminal_id);
      const task = await findTask(services.db, ids.userId, ids.terminalId, ids.taskId);
      if (!task) throw AppError.notFound('Task');
      return toRefusal('The task can no longer be canceled: a host has it, or it has ended.');
    },
  });
};
