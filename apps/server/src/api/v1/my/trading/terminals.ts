import { sampleColumns, terminalRoutes, toTerminalStatusName, whyRoutes, type TerminalItem } from '@berth/contract';
import { recordAudit } from '../../../../audit/record.ts';
import { AppError } from '../../../../errors.ts';
import { createTerminal } from '../../../../deployment/create-terminal.ts';
import { destroyWithin } from '../../../../deployment/destroy-terminal.ts';
import { canResetMarks, unlockTerminal } from '../../../../risk/unlock-terminal.ts';
import { findState, withDetails } from '../../../../terminals/details.ts';
import type { SortColumn } from '../../../../terminals/order.ts';
import {
  countStatuses,
  findTerminal,
  assertTerminal,
  listChoices,
  readTerminals,
} from '../../../../terminals/queries.ts';
import { updateTerminal } from '../../../../terminals/update.ts';
import { isUuid } from '../../../../validation/uuid.ts';
import { withAudit } from '../../../http/audited.ts';
import { toActor } from '../../../http/caller.ts';
import { refuse, showWarnings, toEnvelope, toWarningEnvelope } from '../../../http/envelope.ts';
import { newestFirst, readPageInput, type ListOrder } from '../../../http/cursor.ts';
import { toPagination } from '../../../http/pagination.ts';
import { toPublicUrl } from '../../../http/public-url.ts';
import { toLimitText } from './terminals/bulk.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';
import { toTerminalFilter } from '../../../../terminals/asked-filter.ts';
import { unknownProject } from '../../../../validation/unknown-choices.ts';
import { findCharts } from '../../../../terminals/charts.ts';
import { readOverview } from '../../../../terminals/overview.ts';
import { explain } from '../../../../terminals/why/explain.ts';
import { findOwnFacts } from '../../../../terminals/why/facts.ts';
import { findUptime, readSamples, toWindow } from '../../../../samples/reading.ts';

/** The list's orders, by the first column. */
const orders: Record<SortColumn, ListOrder<TerminalItem>> = {
  created_at: newestFirst,
  name: { name: 'text', id: 'uuid' },
  server_name: { server_name: 'text', id: 'uuid' },
  login: { login: 'text', id: 'uuid' },
  status: { status: 'status', id: 'uuid' },
  attention: { status: 'status', id: 'uuid' },
};

const toTarget = (id: string) => ({ type: 'terminal', id });

/** What its owner sets: the rest changes by itself. */
const toChanged = (before: object, after: object) => {
  const toSettings = (terminal: object) =>
    Object.fromEntries(Object.entries(terminal).filter(([name]) => settingNames.has(name)));
  return { before: toSettings(before), after: toSettings(after) };
};
const settingNames = new Set(['name', 'project_id', 'screenshot_every_minutes', 'tags', 'notes', 'external_id']);

const registerUnlock = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, terminalRoutes.unlockTerminal, {
    assertFound: ({ params, caller }) => assertTerminal(services.db, caller.user.id, params.terminal_id),
    handle: async ({ params, caller, actor, body: { reason, reset_marks: resetMarks = false } }) => {
      const { id: userId } = caller.user;
      const terminalId = params.terminal_id;
      await services.db.transactionFor(userId, async (tx) => {
        if (resetMarks && !(await canResetMarks(tx, userId, terminalId))) throw new AppError('agent_too_old');
        const isDone = await unlockTerminal(tx, { userId, terminalId, reason, by: toActor(caller), resetMarks });
        const change = { target: toTarget(terminalId), after: { reason, reset_marks: resetMarks } };
        if (isDone) await recordAudit(tx, actor, { action: 'terminal.unlock', ...change });
      });
      const terminal = await findTerminal(services.db, userId, terminalId, { withDetails: true });
      if (!terminal) throw AppError.notFound('Terminal');
      const state = await findState(services.db, userId, terminalId);
      return toEnvelope('The terminal is unlocked.', { ...terminal, ...state });
    },
  });
};

/** How terminals begin and end. */
const registerEnds = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, terminalRoutes.createTerminal, {
    handle: async ({ body, query, caller, actor, creation, reply }) => {
      const audited = withAudit<{ terminal: TerminalItem } | undefined>(
        creation,
        actor,
        (made) => made && { action: 'terminal.create', target: toTarget(made.terminal.id), after: made.terminal },
      );
      const created = await createTerminal(services, caller.user, body, audited);
      if ('terminal' in created)
        return showWarnings(
          toWarningEnvelope('The terminal is being deployed.', created.terminal, created.warnings),
          query.include,
        );
      return refuse(
        reply,
        'plan_limit',
        `${toLimitText(created.limit)} Delete one, or ask your administrator for a higher limit.`,
      );
    },
  });

  registerRoute(context, terminalRoutes.deleteTerminal, {
    handle: async ({ params: { terminal_id: terminalId }, caller, actor }) => {
      const { id: userId } = caller.user;
      const kind = await services.db.transactionFor(userId, async (tx) => {
        const before = (await findTerminal(tx, userId, terminalId)) ?? null;
        const begun = await destroyWithin(tx, services, userId, terminalId);
        const change = { action: 'terminal.delete', target: toTarget(terminalId), before } as const;
        if (begun.kind === 'started') await recordAudit(tx, actor, change);
        return begun.kind;
      });
      if (kind === 'not_found') throw AppError.notFound('Terminal');
      return toEnvelope('The terminal is being destroyed.', terminalId);
    },
  });
};

/** What is read of terminals besides themselves. */
const registerReadings = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, terminalRoutes.listCharts, {
    handle: async ({ params, caller: { user } }) => {
      // Up to a hundred kilobytes: on the owner's slow connections they hold up nobody else's reads.
      const found = await findCharts(services.db.slowFor(user.id), user.id, params.terminal_id);
      if (!found) throw AppError.notFound('Terminal');
      const { charts, truncated, seen_at } = found;
      return { ...toEnvelope('Charts retrieved successfully.', charts ?? []), seen_at, truncated: truncated ?? false };
    },
  });

  registerRoute(context, terminalRoutes.countTerminals, {
    handle: async ({ query, caller }) => {
      const { id: userId } = caller.user;
      const [db, filter] = [services.db.slowFor(userId), toTerminalFilter(query)];
      const rows = await countStatuses(db, userId, filter);
      return toEnvelope('Terminals counted successfully.', {
        total: rows.reduce((sum, { total }) => sum + total, 0),
        statuses: rows.map((row) => ({ ...row, status_name: toTerminalStatusName(row.status) })),
        ...(query.include === 'choices' ? { choices: await listChoices(db, userId, filter) } : {}),
      });
    },
  });

  registerRoute(context, terminalRoutes.getOverview, {
    handle: async ({ query, caller }) => {
      const ids = query.ids.split(',').filter(isUuid);
      const data = await readOverview(services.db.slowFor(caller.user.id), caller.user.id, ids);
      return toEnvelope('Overview retrieved successfully.', data);
    },
  });

  registerRoute(context, whyRoutes.explainTerminal, {
    handle: async ({ params, caller: { user } }) => {
      const facts = await findOwnFacts(services.db.slowFor(user.id), services, user.id, params.terminal_id);
      if (!facts) throw AppError.notFound('Terminal');
      return toEnvelope('Explained successfully.', explain(facts, 'owner'));
    },
  });

  registerRoute(context, terminalRoutes.getSamples, {
    assertFound: ({ params, caller }) => assertTerminal(services.db, caller.user.id, params.terminal_id),
    handle: async ({ params, query, caller }) => {
      const { id: userId } = caller.user;
      const { terminal_id: terminalId } = params;
      const window = toWindow(query, services.clock.now());
      const db = services.db.slowFor(userId);
      const [uptime, rows] = await Promise.all([
        findUptime(db, userId, terminalId),
        readSamples(db, { terminalId, userId, ...window }),
      ]);
      if (!uptime) throw AppError.notFound('Terminal');
      return toEnvelope('Samples retrieved successfully.', {
        step: window.step,
        columns: [...sampleColumns],
        rows,
        uptime,
      });
    },
  });
};

export const registerTerminalRoutes = (context: RouteContext): void => {
  const { services } = context;
  registerUnlock(context);
  registerEnds(context);
  registerReadings(context);

  registerRoute(context, terminalRoutes.listTerminals, {
    handle: async (input) => {
      const { query, caller, request } = input;
      const sortBy = query.sort_by ?? 'created_at';
      const page = readPageInput(terminalRoutes.listTerminals, input, orders[sortBy]);
      const filter = toTerminalFilter(query);
      const window = { sortBy, direction: query.sort_direction ?? 'desc', page } as const;
      const { data: items, total } = await readTerminals(services.db, caller.user.id, filter, window);
      const isWhole = query.include === 'details';
      const { id } = caller.user;
      const data = isWhole ? await withDetails(services.db.listsFor(id), id, items) : items;
      return { data, pagination: toPagination(page, total, items, toPublicUrl(request, services.config)) };
    },
  });

  registerRoute(context, terminalRoutes.getTerminal, {
    assertFound: ({ params, caller }) => assertTerminal(services.db, caller.user.id, params.terminal_id),
    handle: async ({ params, query, caller }) => {
      const isWhole = query.include === 'details';
      const terminal = await findTerminal(services.db, caller.user.id, params.terminal_id, { withDetails: isWhole });
      if (!terminal) throw AppError.notFound('Terminal');
      const state = isWhole ? await findState(services.db, caller.user.id, terminal.id) : {};
      return toEnvelope('Terminal retrieved successfully.', { ...terminal, ...state });
    },
  });

  registerRoute(context, terminalRoutes.updateTerminal, {
    assertFound: ({ params, caller }) => assertTerminal(services.db, caller.user.id, params.terminal_id),
    handle: async ({ params, caller, actor, body }) => {
      const { name, project_id: projectId, screenshot_every_minutes: minutes, ...labels } = body;
      const { id } = caller.user;
      const isPlausible = projectId === undefined || isUuid(projectId);
      const update = { name, projectId, screenshotEveryMinutes: minutes === null ? 0 : minutes, labels };
      const terminal = isPlausible
        ? await services.db.transactionFor(id, async (tx) => {
            const before = await findTerminal(tx, id, params.terminal_id, { withDetails: true });
            const after = await updateTerminal(tx, id, params.terminal_id, update);
            const target = toTarget(params.terminal_id);
            const change = before && after && toChanged(before, after);
            if (change) await recordAudit(tx, actor, { action: 'terminal.update', target, ...change });
            return after;
          })
        : undefined;
      if (terminal) return toEnvelope('Terminal updated successfully.', terminal);
      // If the terminal does not exist, `assertFound` has already said so.
      if (projectId === undefined) throw AppError.notFound('Terminal');
      throw unknownProject('project_id');
    },
  });
};
