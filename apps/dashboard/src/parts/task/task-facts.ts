/** The subject of a task, why it failed, and what can be done with it now. Pure. */
import { TaskStatus, TaskType, type Task } from '@berth/client';
import { isFinalTaskStatus, taskCatalogue, taskTransitions, toTaskTypeName } from '@berth/contract/values';
import { pageTexts } from '../../texts/page-texts.ts';
import { toStepAdvice } from './advice.ts';

const taskWords = pageTexts.taskWords;
const words = pageTexts.task;

export const toTitle = ({ type }: Pick<Task, 'type'>): string => taskWords.types[toTaskTypeName(type)];

const toText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** The part of the payload by which a person recognises the task; undefined where there is none. */
export const toSubject = ({ type, payload }: Pick<Task, 'type' | 'payload'>): string | undefined => {
  const fields = payload as Record<string, unknown>;
  switch (type) {
    case TaskType.EA_INSTALL:
      return [toText(fields.name), toText(fields.symbol), toText(fields.period)].filter(Boolean).join(' · ');
    case TaskType.EA_REMOVE:
    case TaskType.EA_UPDATE:
      return toText(fields.name) ?? toText(fields.chart_id);
    case TaskType.EA_LOGS:
      return toText(fields.source);
    case TaskType.ACCOUNT_LOGIN:
      return toText(fields.login);
    case TaskType.ACCOUNT_OPEN_DEMO:
      return toText(fields.server_name);
    case TaskType.OPTIONS_AUTO_TRADE:
      return fields.allow_algo_trading === 1 ? taskWords.on : taskWords.off;
    case TaskType.OPTIONS_WEB_REQUEST:
      return toText(fields.url);
    case TaskType.SCREENSHOT:
    case TaskType.SCREENSHOT_LATENCY:
    case TaskType.TERMINAL_INSTALL:
    case TaskType.TERMINAL_DESTROY:
    case TaskType.ACCOUNT_SERVER:
    case TaskType.ACCOUNT_LOGOUT:
    case TaskType.MARKET_WATCH_SHOW_ALL:
    case TaskType.TERMINAL_RESTART:
    case TaskType.TERMINAL_STOP:
    case TaskType.TERMINAL_START:
      return undefined;
    case TaskType.CLOSE_ALL:
      return Array.isArray(fields.symbols) ? fields.symbols.join(', ') : undefined;
  }
};

/** What the host or the service reports about a failed task, and what to do. */
export const toFailure = ({ status, result }: Pick<Task, 'status' | 'result'>) => {
  if (status !== TaskStatus.FAILED && status !== TaskStatus.TERMINATED) return undefined;
  const { message = '', code = null } = result.runner_result.at(-1) ?? {};
  return { message, code, advice: code === null ? taskWords.terminated : toStepAdvice(code, message) };
};

export const hasEnded = ({ status }: Pick<Task, 'status'>): boolean => isFinalTaskStatus(status);

/** What its payload had and nobody can read: it is typed anew. */
export const toSecrets = ({ type, payload }: Pick<Task, 'type' | 'payload'>): readonly string[] =>
  taskCatalogue[type].secretFields.filter((field) => field in payload);

/** Why the same task cannot be run again; undefined where it can. */
export const toWhyNotAgain = (task: Pick<Task, 'type' | 'status'>): string | undefined => {
  if (task.type === TaskType.TERMINAL_INSTALL) return words.whyNotAgain.install;
  if (task.type === TaskType.TERMINAL_DESTROY) return words.whyNotAgain.destroy;
  return hasEnded(task) ? undefined : words.whyNotAgain.open;
};

/** Why a task cannot be canceled now; undefined where it can. */
export const toWhyNotCancel = (task: Pick<Task, 'status'>): string | undefined => {
  if (taskTransitions.some(([from, to]) => from === task.status && to === TaskStatus.CANCELED)) return undefined;
  return hasEnded(task) ? words.whyNotCancel.ended : words.whyNotCancel.inProgress;
};
