/** A schedule as it is being written. Pure. */
import { TaskType, type NewSchedule, type Schedule } from '@berth/client';
import { isBlank, type FieldErrors } from '../../data/form.ts';
import { zoneName } from '../../parts/zone.tsx';
import { toTitle } from '../run.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.schedules;

/** What needs no form of its own. */
const actions = {
  off: { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } },
  on: { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 1 } },
  restart: { type: TaskType.TERMINAL_RESTART },
  stop: { type: TaskType.TERMINAL_STOP },
  start: { type: TaskType.TERMINAL_START },
  screenshot: { type: TaskType.SCREENSHOT },
  close: { type: TaskType.CLOSE_ALL },
  login: { type: TaskType.ACCOUNT_LOGIN },
  logout: { type: TaskType.ACCOUNT_LOGOUT },
} satisfies Record<string, Pick<NewSchedule, 'type' | 'payload'>>;
export type ActionName = keyof typeof actions;
export const actionNames = Object.keys(actions) as ActionName[];

export const toActionTitle = (name: ActionName): string => toTitle(actions[name]);

export const repeats = ['daily', 'weekdays', 'days', 'cron'] as const;
export type Repeat = (typeof repeats)[number];

/** Which terminals: named, or those that a filter matches at each run. */
export type Which = { terminal_ids: readonly string[] } | { filter: Readonly<Record<string, unknown>> };

export interface Draft {
  name: string;
  action: ActionName;
  which: Which;
  repeat: Repeat;
  /** Sunday is 0. */
  days: readonly number[];
  /** "21:00" */
  time: string;
  cron: string;
  zone: string;
  missed: Schedule['missed'];
}

const WEEKDAYS = '1-5';
const SIMPLE = /^(\d{1,2}) (\d{1,2}) \* \* (\*|1-5|[0-7](?:,[0-7])*)$/;

type When = Pick<Draft, 'repeat' | 'days' | 'time' | 'cron'>;

/** The fields that stand for an expression; what is not every day or on some days stays one. */
export const toWhen = (cron: string): When => {
  const [, minute = '', hour = '', days = ''] = SIMPLE.exec(cron) ?? [];
  if (days === '') return { repeat: 'cron', days: [], time: '00:00', cron };
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (days === '*') return { repeat: 'daily', days: [], time, cron };
  if (days === WEEKDAYS) return { repeat: 'weekdays', days: [], time, cron };
  return { repeat: 'days', days: [...new Set(days.split(',').map((day) => Number(day) % 7))], time, cron };
};

export const toCron = ({ repeat, days, time, cron }: When): string => {
  if (repeat === 'cron') return cron.trim().replace(/\s+/g, ' ');
  const [hour, minute] = time.split(':').map(Number);
  const on = repeat === 'daily' ? '*' : repeat === 'weekdays' ? WEEKDAYS : days.toSorted().join(',');
  return `${minute} ${hour} * * ${on}`;
};

export const toWhich = ({ terminal_ids: ids, filter }: Schedule): Which =>
  ids === null ? { filter: filter ?? {} } : { terminal_ids: ids };

/** @param ids the terminals that somebody has selected */
export const toDraft = (schedule: Schedule | undefined, ids: readonly string[] | undefined): Draft => ({
  name: schedule?.name ?? '',
  action: 'off',
  which: schedule ? toWhich(schedule) : ids ? { terminal_ids: ids } : { filter: {} },
  ...toWhen(schedule?.cron ?? '0 21 * * *'),
  zone: schedule?.time_zone ?? zoneName,
  missed: schedule?.missed ?? 'skip',
});

const toTimes = (draft: Draft) => ({ cron: toCron(draft), time_zone: draft.zone, missed: draft.missed });

const toSelection = (which: Which) =>
  'filter' in which ? { filter: which.filter } : { terminal_ids: [...which.terminal_ids] };

export const toNewSchedule = (draft: Draft): NewSchedule => ({
  name: draft.name.trim() || toActionTitle(draft.action),
  ...actions[draft.action],
  ...toSelection(draft.which),
  ...toTimes(draft),
});

/** A selection that was not touched is not sent: a terminal of it that was deleted since would be refused. */
export const toChanges = (draft: Draft, { name }: Schedule, isSelected: boolean) => ({
  name: draft.name.trim() || name,
  ...(isSelected ? toSelection(draft.which) : {}),
  ...toTimes(draft),
});

export const check = ({ repeat, days, time, cron, which }: Draft): FieldErrors => ({
  days: repeat === 'days' && days.length === 0 ? words.chooseDay : undefined,
  time: repeat === 'cron' || /^\d\d:\d\d$/.test(time) ? undefined : words.enterTime,
  cron: repeat === 'cron' && isBlank(cron) ? words.enterCron : undefined,
  terminal_ids: 'terminal_ids' in which && which.terminal_ids.length === 0 ? words.chooseOne : undefined,
});
