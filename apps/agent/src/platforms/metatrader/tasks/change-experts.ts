import { toPlainSentence } from '@berth/contract/values';
import type { Profile } from '../files/profile.ts';
import { toStartMessage } from '../run/start-program.ts';
import type { ExpertPlace } from '../journal/journal-events.ts';
import { areRunning, countAt, isSamePlace, type FailedExpert } from '../run/expert-roster.ts';
import type { TerminalView } from '../run/terminal-view.ts';
import { StepFailure } from '../step-failure.ts';
import { ExpertsThatLogged } from './experts-that-logged.ts';
import type { StepReport } from './step-recorder.ts';
import type { TerminalParts, TaskRun } from './task-run.ts';

/** @param place as it was asked for: MetaTrader 4's journal does not show where a name ends and a symbol begins */
const toFailure = ({ name, symbol, period }: ExpertPlace, { reason, line }: FailedExpert): StepFailure => {
  const isError = reason === line;
  if (!isError && /symbol/i.test(reason)) {
    const text = `${name} found no symbol ${symbol} at this broker. Write the symbol as the broker does: some add an ending, as in ${symbol}.m.`;
    return new StepFailure('E_SYMBOL', text);
  }
  const what = isError ? 'ended with an error' : 'failed to start';
  const said = toPlainSentence(line, MAX_LINE_CHARACTERS);
  return new StepFailure('E_FILE', `${name} was loaded on ${symbol},${period} and ${what}: ${said}. ${SEE_LOG}`);
};

const SEE_LOG = 'The Experts log says more.';
/** Of a line in a message. */
const MAX_LINE_CHARACTERS = 200;

/** An EA that is not there at the end, and failed neither. */
const toMissing = ({ endedExperts }: TerminalView, place: ExpertPlace, lastLines: readonly string[]): StepFailure => {
  const { name, symbol, period } = place;
  if (countAt(endedExperts, place) === 0) {
    const text = `${name} was not loaded on ${symbol},${period}. Is the file a compiled program for this build?`;
    return new StepFailure('E_FILE', text);
  }
  const lines = lastLines.map((line) => `“${toPlainSentence(line, MAX_LINE_CHARACTERS)}”`);
  const said = lines.length > 0 ? `The last that its log says: ${lines.join(', ')}.` : 'Its log says nothing.';
  return new StepFailure('E_FILE', `${name} was loaded on ${symbol},${period} and ended by itself. ${said}`);
};

/** How often the EAs' log is read. */
const LOG_POLL_MS = 250;

interface ExpertWatch {
  places: readonly ExpertPlace[];
  logged: ExpertsThatLogged;
  signal: AbortSignal;
}

/** Returns on timeout, or immediately when the condition holds. Only silence is watched to the end. */
const watchExperts = async (
  { live, edition: { timing } }: TerminalParts,
  { places, logged, signal }: ExpertWatch,
  isLost: (view: TerminalView) => boolean,
): Promise<void> => {
  let haveLogged = false;
  let deadlineMs = performance.now() + timing.expertSettleMs;
  for (let leftMs = timing.expertSettleMs; leftMs > 0; leftMs = deadlineMs - performance.now()) {
    if (!haveLogged && (await logged.have(places))) {
      haveLogged = true;
      deadlineMs = Math.min(deadlineMs, performance.now() + timing.expertSpokenMs);
      continue;
    }
    const timeoutMs = haveLogged ? leftMs : Math.min(leftMs, LOG_POLL_MS);
    if (await live.waitUntil(isLost, { timeoutMs, signal })) return;
  }
};

/**
 * Waits until every EA is loaded, and watches it for a while: an EA is loaded before its symbol is looked up, and the
 * symbols are known only after the login. One that writes to its log is watched for a shorter time. Throws E_SYMBOL or
 * E_FILE.
 */
export const waitForExperts = async (terminal: TerminalParts, watch: ExpertWatch): Promise<void> => {
  const { places, logged, signal } = watch;
  const { live, edition } = terminal;
  const { timing } = edition;
  const findFailure = ({ failedExperts }: TerminalView): StepFailure | undefined => {
    for (const place of places) {
      const failed = failedExperts.find((each) => !each.isEarly && isSamePlace(place, each));
      if (failed) return toFailure(place, failed);
    }
    return undefined;
  };
  const isMissing = ({ experts }: TerminalView, place: ExpertPlace) => countAt(experts, place) < countAt(places, place);
  const isLoaded = ({ experts }: TerminalView) => areRunning(experts, places);
  const hasEnded = (view: TerminalView) =>
    places.some((place) => isMissing(view, place) && countAt(view.endedExperts, place) > 0);
  const waits = [
    { until: isLoaded, timeoutMs: timing.expertLoadMs },
    { until: ({ login }: TerminalView) => login.state !== 'connecting', timeoutMs: timing.loginSilenceMs },
  ];
  const assertNoneFailed = () => {
    const failure = findFailure(live.view);
    if (failure) throw failure;
  };
  for (const { until, timeoutMs } of waits) {
    await live.waitUntil((view) => findFailure(view) !== undefined || hasEnded(view) || until(view), {
      timeoutMs,
      signal,
    });
    assertNoneFailed();
  }
  await watchExperts(terminal, watch, (view) => findFailure(view) !== undefined || !isLoaded(view));
  assertNoneFailed();
  if (hasEnded(live.view)) {
    // Its last lines, which may say more than its removal, reach the disk on their own; and a change of account removes
    // an EA and loads it again.
    const isDecided = (view: TerminalView) => findFailure(view) !== undefined || isLoaded(view);
    await live.waitUntil(isDecided, { timeoutMs: timing.expertSpokenMs, signal });
    assertNoneFailed();
  }
  const missing = places.find((place) => isMissing(live.view, place));
  if (!missing) return;
  await logged.have(places);
  throw toMissing(live.view, missing, logged.listLastLines(missing));
};

export interface ExpertChange {
  /** Name of the step that changes the files. */
  step: string;
  /**
   * Changes files; the terminal is stopped. It rewrote its charts when it stopped, and may have given them other files:
   * read them again. @param onUndo takes what restores anything but the charts
   */
  change: (profile: Profile, onUndo: (undo: () => Promise<void>) => void) => Promise<StepReport>;
  /** The last step: proves the change on the started terminal. */
  proof: { step: string; prove: (logged: ExpertsThatLogged) => Promise<StepReport> };
}

/**
 * Stops the terminal, changes charts and programs, starts it and proves the result. When the change or its proof fails,
 * everything is restored and the terminal runs as before.
 */
export const changeExperts = async (run: TaskRun, { step, change, proof }: ExpertChange): Promise<void> => {
  const { terminal, steps, signal, log } = run;
  const { live, home } = terminal;
  const { profile } = home;
  const undoings: (() => Promise<void>)[] = [];
  const undoOnFailure = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    try {
      return await act();
    } catch (error) {
      // An aborted attempt must end soon; a retry finds the same files and continues from there.
      if (signal.aborted) throw error;
      await live.stop();
      // On a full disk one of them may fail; the others, and the start, do not depend on it.
      for (const undo of undoings) {
        await undo().catch((cause: unknown) => log.error({ err: cause }, 'a failed change was not put back'));
      }
      // Whether it comes up again does not matter here: it is kept running from outside the task.
      await live.launch().catch((cause: unknown) => log.warn({ err: cause }, 'no start after a failed change'));
      throw error;
    }
  };

  await steps.run('stop_terminal', async () => {
    await live.stop();
    return { message: 'The terminal was stopped, so that it saved its charts.' };
  });
  await steps.run(step, () =>
    undoOnFailure(async () => {
      undoings.push(await profile.takeSnapshot());
      return change(profile, (undo) => undoings.push(undo));
    }),
  );
  const logged = await undoOnFailure(() => ExpertsThatLogged.beforeStart(terminal));
  try {
    await steps.run('start_terminal', () =>
      undoOnFailure(async () => {
        await live.launch({ signal });
        return { message: toStartMessage('The terminal was started.', terminal.launcher) };
      }),
    );
    await steps.run(proof.step, () => undoOnFailure(() => proof.prove(logged)));
  } finally {
    await logged.close();
  }
};
