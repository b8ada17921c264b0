import { MAX_BULK_TERMINALS, taskRoutes, terminalRoutes, type Static } from '@berth/contract';
import { recordAudit } from '../../../../../audit/record.ts';
import { AppError, ValidationError } from '../../../../../errors.ts';
import { createWholeRun, type WholeRun } from '../../../../../runs/runs.ts';
import { createTerminals, type TerminalsCreated } from '../../../../../deployment/create-terminals.ts';
import type { CoreServices } from '../../../../../services.ts';
import { NOT_FOUND } from '../../../../../runs/insertion.ts';
import { listTerminalIds } from '../../../../../terminals/queries.ts';
import { tagTerminals } from '../../../../../terminals/update.ts';
import { isUuid } from '../../../../../validation/uuid.ts';
import { withAudit, withRunAudit } from '../../../../http/audited.ts';
import { showWarnings, toEnvelope } from '../../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';
import { toTerminalFilter } from '../../../../../terminals/asked-filter.ts';
import { toRunLimit, toRunRequest } from '../bulk-runs.ts';

type BulkInput = Static<(typeof taskRoutes)['createTasks']['body']>;

/** Removes duplicates. */
const toDistinct = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))];

/** The selected terminals, read by one statement: those that existed at one moment. */
const findMeant = async (
  { db }: Pick<CoreServices, 'db'>,
  userId: string,
  { terminal_ids: named, filter = {} }: BulkInput,
): Promise<string[]> => {
  if (named) return toDistinct(named);
  const ids = await listTerminalIds(db.slowFor(userId), userId, toTerminalFilter(filter), MAX_BULK_TERMINALS + 1);
  if (ids.length === 0) throw new AppError('nothing_matched');
  if (ids.length <= MAX_BULK_TERMINALS) return ids;
  const text = `The filter field matches more than ${MAX_BULK_TERMINALS} terminals. Narrow it, or name their ids in parts.`;
  throw ValidationError.of('filter', text);
};

const NO_RUN: WholeRun = { id: null, items: [] };

const toCreation = ({ terminal_id, task_id, reason, warnings }: WholeRun['items'][number]) => {
  if (task_id === null) return { terminal_id, ok: false, task_id, msg: reason ?? NOT_FOUND, warnings: [] };
  return { terminal_id, ok: true, task_id, msg: ['Task created successfully.', ...warnings].join(' '), warnings };
};

/** How a refusal by the limit begins, which is the plan's, or one that an operator has set. */
export const toLimitText = (limit: number): string =>
  `You can have no more than ${limit === 1 ? '1 terminal' : `${limit} terminals`}.`;

export const registerBulkRoutes = (context: RouteContext): void => {
  const { services } = context;
  registerRoute(context, taskRoutes.createTasks, {
    handle: async ({ body, query, caller, actor, creation, reply }) => {
      const what = toRunRequest(caller.user.id, body);
      const asked = await findMeant(services, caller.user.id, body);
      const request = { ...what, members: asked.filter(isUuid), maxPayloadsMb: 1, isWaiting: true };
      const audited = withRunAudit<WholeRun | undefined>(creation, { actor, ...what }, (made) =>
        made && made.id !== null ? { id: made.id, terminals: made.items.length } : undefined,
      );
      const run = request.members.length === 0 ? NO_RUN : await createWholeRun(services, request, audited);
      if (!run) return toRunLimit(reply);
      const created = new Map(run.items.map((item) => [item.terminal_id, toCreation(item)]));
      const missing = { ok: false, task_id: null, msg: NOT_FOUND, warnings: [] };
      const data = asked.map((id) => showWarnings(created.get(id) ?? { terminal_id: id, ...missing }, query.include));
      const count = data.filter(({ ok }) => ok).length;
      return { ok: count > 0, msg: `Tasks created: ${count} of ${asked.length}.`, data, run_id: run.id };
    },
  });

  registerRoute(context, terminalRoutes.tagTerminals, {
    handle: async ({ body: { terminal_ids: asked, add = [], remove = [] }, caller, actor }) => {
      const ids = toDistinct(asked).filter(isUuid);
      const tagged = await services.db.transactionFor(caller.user.id, async (tx) => {
        const done = await tagTerminals(tx, caller.user.id, { ids, add, remove });
        const after = { add, remove, terminals: done.terminals };
        await recordAudit(tx, actor, { action: 'terminal.tag', target: { type: 'terminal', id: null }, after });
        return done;
      });
      return toEnvelope(`Tagged: ${tagged.terminals} of ${asked.length}.`, tagged);
    },
  });

  registerRoute(context, terminalRoutes.createTerminals, {
    handle: async ({ body: { items: given, dry_run: isDry = false }, caller, actor, creation, reply }) => {
      const audited = withAudit<TerminalsCreated>(creation, actor, (made) => {
        if (!made.isCreated) return undefined;
        const ids = made.items.map(({ terminal_id: id }) => id);
        const after = { terminals: ids.length, ids };
        return { action: 'terminal.import', target: { type: 'terminal', id: null }, after };
      });
      const { items, limit, isCreated } = await createTerminals(services, caller.user, { given, isDry }, audited);
      const wrong = items.filter(({ ok }) => !ok).length;
      if (limit !== undefined) reply.header('x-error-code', 'plan_limit');
      const toMessage = (): string => {
        if (wrong > 0) return `No terminal was created: ${wrong} of ${items.length} have errors.`;
        if (limit !== undefined)
          return `${toLimitText(limit)} Delete some, or ask your administrator for a higher limit.`;
        return isDry ? `${items.length} terminals can be created.` : `${items.length} terminals are being deployed.`;
      };
      return { ok: isCreated, msg: toMessage(), data: items };
    },
  });
};
