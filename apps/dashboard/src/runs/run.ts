/** A run's progress and name, and whether it is shown. */
import { TaskType, type BulkRun, type CreatableTaskName, type ManyTerminals } from '@berth/client';
import { taskCatalogue, toTaskTypeName } from '@berth/contract/values';
import { serverNow } from '../data/server-clock.ts';
import { pageTexts } from '../texts/page-texts.ts';

const words = pageTexts.runs;

/** The task, and its terminals. */
export type NewRun = { type: CreatableTaskName; payload?: object } & ManyTerminals;

export const isOver = ({ finished_at: at }: BulkRun): boolean => at !== null;

/** Terminals on which it was not done, and will not be. */
export const countExceptions = ({ failed, skipped, canceled }: BulkRun): number => failed + skipped + canceled;

/** Never decreases: ended and created tasks. */
const toProgress = (run: BulkRun): number =>
  (isOver(run) ? Infinity : 0) + (run.succeeded + countExceptions(run)) * run.total + run.total - run.pending;

/** The newer of two answers: they may have overtaken each other. */
export const toNewer = (known: BulkRun | undefined, read: BulkRun): BulkRun =>
  known && toProgress(known) > toProgress(read) ? known : read;

export const toTitle = ({ type, payload }: { type: TaskType; payload?: object | undefined }): string => {
  if (type !== TaskType.OPTIONS_AUTO_TRADE) return words.titles[toTaskTypeName(type)];
  return (payload as { allow_algo_trading?: unknown }).allow_algo_trading === 1 ? words.on : words.off;
};

export const toNewRunTitle = ({ type, payload }: NewRun): string => toTitle({ type: TaskType[type], payload });

/** The same again, where it failed; undefined where that needs a secret, which nobody can read. */
export const toRetry = ({ type, payload }: BulkRun, terminalIds: readonly string[]): NewRun | undefined => {
  if (taskCatalogue[type].secretFields.some((field) => field in payload)) return undefined;
  return { type: toTaskTypeName(type) as CreatableTaskName, payload, terminal_ids: terminalIds };
};

/** "2 failed, 205 skipped" */
const toExceptions = ({ failed, skipped, canceled }: BulkRun): string =>
  [failed && words.failed(failed), skipped && words.skipped(skipped), canceled && words.canceled(canceled)]
    .filter(Boolean)
    .join(', ');

/** The words of a run of which it matters where it was not confirmed; undefined for the others. */
export const findConfirmed = ({ type, payload }: Pick<BulkRun, 'type' | 'payload'>) => {
  if (type === TaskType.CLOSE_ALL) return words.confirmed.closed;
  if (type === TaskType.TERMINAL_STOP) return words.confirmed.stopped;
  const isOff = type === TaskType.OPTIONS_AUTO_TRADE && payload.allow_algo_trading === 0;
  return isOff ? words.confirmed.off : undefined;
};

const toConfirmedSentence = (run: BulkRun, { verb, doubt }: NonNullable<ReturnType<typeof findConfirmed>>): string => {
  const { total, succeeded, failed, canceled, skipped } = run;
  if (isOver(run) && succeeded === total) return words.confirmedOnAll(verb, total);
  // Nothing runs on those that were skipped.
  const not = failed + canceled;
  const rest = skipped > 0 ? ` ${words.skipped(skipped)}.` : '';
  if (isOver(run) && not > 0) return words.confirmedNotOn(verb, succeeded, not, doubt) + rest;
  const failures = [failed && words.failed(failed), canceled && words.canceled(canceled)].filter(Boolean).join(', ');
  return words.confirmedOn(verb, succeeded, total) + (failures === '' ? '' : ` ${failures}.`) + rest;
};

/** The state of a run, in a sentence or two. */
export const toSentence = (run: BulkRun): string => {
  const { total, succeeded } = run;
  const confirmed = findConfirmed(run);
  if (confirmed) return toConfirmedSentence(run, confirmed);
  if (isOver(run) && succeeded === total) return words.allDone(total);
  const exceptions = toExceptions(run);
  return [words.done(succeeded, total), exceptions && `${exceptions}.`].filter(Boolean).join(' ');
};

/** Runs that ended with exceptions are shown until they are dismissed, but not for ever. */
const SHOWN_MS = 24 * 60 * 60_000;

/** Whether it is shown above the pages: while it is open, and afterwards if there were exceptions. */
export const isInTray = ({ finished_at: finishedAt, succeeded, total }: BulkRun): boolean =>
  finishedAt === null || (succeeded < total && serverNow() - Date.parse(finishedAt) < SHOWN_MS);
