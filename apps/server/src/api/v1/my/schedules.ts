import { setImmediate } from 'node:timers/promises';
import {
  DEFAULT_PER_PAGE,
  hasAbility,
  MAX_SCHEDULES,
  scheduleRoutes,
  taskCatalogue,
  type Schedule,
  type TaskType,
} from '@berth/contract';
import { recordAudit } from '../../../audit/record.ts';
import { readNow } from '../../../db/clock.ts';
import type { Queryable } from '../../../db/database.ts';
import { createId, LOWEST_ID } from '../../../db/ids.ts';
import { AppError, ValidationError } from '../../../errors.ts';
import { findCronErrors, toNextRuns } from '../../../schedules/cron.ts';
import * as queries from '../../../schedules/queries.ts';
import { parsePayload, splitSecrets } from '../../../tasks/payload.ts';
import { lockUser } from '../../../terminals/queries.ts';
import { isUuid } from '../../../validation/uuid.ts';
import { refuse, toEnvelope } from '../../http/envelope.ts';
import { toAfter, toPage } from '../../http/cursor.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

const SHOWN_RUNS = 3;

const toSchedule = ({ now, ...row }: queries.ScheduleRow): Schedule => ({
  ...row,
  next_runs: row.enabled ? toNextRuns(row, new Date(now), SHOWN_RUNS).map((run) => run.toISOString()) : [],
});

/** In turns with others: the next runs of what is rarely due take milliseconds to find. */
const toSchedules = async (rows: readonly queries.ScheduleRow[]): Promise<Schedule[]> => {
  const schedules: Schedule[] = [];
  for (const row of rows) {
    schedules.push(toSchedule(row));
    await setImmediate();
  }
  return schedules;
};

const toNextAt = (settings: queries.ScheduleSettings, now: Date): Date | null =>
  settings.enabled ? (toNextRuns(settings, now, 1)[0] ?? null) : null;

/** @throws ValidationError where the payload is none of the type, or has a secret: the database would keep it for years */
const toPayload = (type: TaskType, given: Record<string, unknown> | undefined): Record<string, unknown> => {
  const payload = parsePayload(type, given);
  const { secrets } = splitSecrets(taskCatalogue[type], payload);
  const [name] = Object.keys(secrets ?? {});
  if (name === undefined) return payload;
  const text = `The payload.${name} field must be missing: a schedule keeps no secrets.`;
  throw ValidationError.of(`payload.${name}`, text, 'Log the terminal in once; schedules use what is stored.');
};

/** What the body selects; undefined: nothing, so that what was selected stays. */
const toSelection = (body: { terminal_ids?: string[]; filter?: object; all?: true }) => {
  const { terminal_ids: named, filter, all } = body;
  if (named) {
    const wrong = named.findIndex((id) => !isUuid(id));
    if (wrong === -1) return { terminal_ids: [...new Set(named.map((id) => id.toLowerCase()))], filter: null };
    throw ValidationError.of(`terminal_ids.${wrong}`, `The terminal_ids.${wrong} field must be a valid UUID.`);
  }
  if (!filter && !all) return undefined;
  return { terminal_ids: null, filter: { ...filter } };
};

const assertTimes = (settings: queries.ScheduleSettings, now: Date): void => {
  const errors = findCronErrors(settings, now);
  if (errors.length > 0) throw new ValidationError(errors);
};

/** Whoever has a schedule made must have the right to the task itself. */
const assertAbility = (abilities: readonly string[], type: TaskType): void => {
  const { ability } = taskCatalogue[type];
  if (ability && !hasAbility(abilities, ability)) throw new AppError('missing_ability');
};

const assertOwn = async (tx: Queryable, userId: string, ids: readonly string[] | null | undefined): Promise<void> => {
  if (!ids) return;
  const own = new Set(await queries.listOwnTerminals(tx, userId, ids));
  const strange = ids.findIndex((id) => !own.has(id));
  if (strange === -1) return;
  throw ValidationError.of(`terminal_ids.${strange}`, `The selected terminal_ids.${strange} is invalid.`);
};

const toTarget = (id: string) => ({ type: 'schedule', id });

const registerReading = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, scheduleRoutes.listSchedules, {
    handle: async ({ caller, query: { after, per_page: limit = DEFAULT_PER_PAGE } }) => {
      const { id: userId } = caller.user;
      const found = await queries.listSchedules(db.listsFor(userId), userId, toAfter(after, LOWEST_ID), limit + 1);
      const { data, pagination } = toPage(found, limit);
      const schedules = await toSchedules(data);
      return { ...toEnvelope('Schedules retrieved successfully.', schedules), pagination };
    },
  });

  registerRoute(context, scheduleRoutes.getSchedule, {
    handle: async ({ caller, params }) => {
      const row = await queries.findSchedule(db, caller.user.id, params.schedule_id);
      if (!row) throw AppError.notFound('Schedule');
      return toEnvelope('Schedule retrieved successfully.', toSchedule(row));
    },
  });
};

export const registerScheduleRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerReading(context);

  registerRoute(context, scheduleRoutes.createSchedule, {
    handle: async ({ caller, actor, body, creation, reply }) => {
      const { id: userId } = caller.user;
      const now = await readNow(db);
      assertAbility(caller.abilities, body.type);
      const { name, type, cron, time_zone, missed = 'skip', enabled = true, stagger_seconds = 0 } = body;
      const payload = toPayload(type, body.payload);
      const selection = toSelection(body)!;
      const settings = { name, ...selection, type, payload, stagger_seconds, cron, time_zone, missed, enabled };
      assertTimes(settings, now);
      const created = await creation.within(async (tx) => {
        await lockUser(tx, userId);
        if ((await queries.countSchedules(tx, userId)) >= MAX_SCHEDULES) return undefined;
        await assertOwn(tx, userId, settings.terminal_ids);
        const id = createId();
        const row = await queries.insertSchedule(tx, { id, userId }, settings, toNextAt(settings, now));
        await recordAudit(tx, actor, { action: 'schedule.create', target: toTarget(id), after: settings });
        return row;
      });
      if (created) return toEnvelope('Schedule created successfully.', toSchedule(created));
      return refuse(
        reply,
        'schedule_limit',
        `An account has at most ${MAX_SCHEDULES} schedules. Delete one that you no longer need.`,
      );
    },
  });

  registerRoute(context, scheduleRoutes.updateSchedule, {
    assertFound: async ({ caller, params }) => {
      if (!(await queries.findSchedule(db, caller.user.id, params.schedule_id))) throw AppError.notFound('Schedule');
    },
    handle: async ({ caller, actor, params, body }) => {
      const { id: userId } = caller.user;
      const { terminal_ids: _ids, filter: _filter, all: _all, payload, ...given } = body;
      const selection = toSelection(body);
      const row = await db.transactionFor(userId, async (tx) => {
        const before = await queries.lockSchedule(tx, userId, params.schedule_id);
        if (!before) throw AppError.notFound('Schedule');
        assertAbility(caller.abilities, before.type);
        const changes = Object.fromEntries(
          Object.entries({ ...given, ...selection }).filter(([, v]) => v !== undefined),
        );
        const settings = { ...before, ...changes, ...(payload ? { payload: toPayload(before.type, payload) } : {}) };
        const now = new Date(before.now);
        assertTimes(settings, now);
        // Only what is selected anew: a terminal that was deleted since does not stand in the way of a switch.
        await assertOwn(tx, userId, selection?.terminal_ids);
        const change = { target: toTarget(before.id), before, after: settings };
        await recordAudit(tx, actor, { action: 'schedule.update', ...change });
        return queries.writeSchedule(tx, before.id, settings, toNextAt(settings, now));
      });
      return toEnvelope('Schedule updated successfully.', toSchedule(row));
    },
  });

  registerRoute(context, scheduleRoutes.deleteSchedule, {
    handle: async ({ caller, actor, params: { schedule_id: id } }) => {
      const { id: userId } = caller.user;
      await db.transactionFor(userId, async (tx) => {
        const before = await queries.lockSchedule(tx, userId, id);
        if (!before || !(await queries.deleteSchedule(tx, userId, id))) throw AppError.notFound('Schedule');
        const { now: _now, ...row } = before;
        await recordAudit(tx, actor, { action: 'schedule.delete', target: toTarget(id), before: row });
      });
      return toEnvelope('Schedule deleted successfully.', null);
    },
  });
};
