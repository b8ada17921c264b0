import { sleep } from '@berth/kit';
import { TERMINAL_FILE } from '../files/text-file.ts';
import { holdExpertsLog } from '../home.ts';
import { JournalTail } from '../journal/journal-tail.ts';
import { StepFailure } from '../step-failure.ts';
import { waitForLogin } from './log-in.ts';
import { assertRunning, type TaskHandler, type TaskRun } from './task-run.ts';

const SCRIPT = 'ShowAllSymbols';
/** A script needs a chart. If there is none, one is opened for a symbol that nearly every broker has. */
const COMMON_SYMBOL = 'EURUSD';
/** The EAs' log is not the journal's file and may be flushed later. */
const LOG_POLL_MS = 20;

const placeScript = async ({ edition, home }: TaskRun['terminal']): Promise<void> => {
  const script = await edition.findShowAllSymbols();
  if (!script) {
    throw new StepFailure('E_UNSUPPORTED', `This host has no compiled ${SCRIPT} script. Compile it once on the host.`);
  }
  const { programs, programEnding } = edition.dialect.layout;
  await home.files.replaceFile(`${programs}/Scripts/${SCRIPT}${programEnding}`, script, TERMINAL_FILE);
};

/** Waits for the script's own line in the EAs' log. */
const readCount = async (log: JournalTail, deadlineMs: number, signal: AbortSignal): Promise<number> => {
  for (
    const deadline = performance.now() + deadlineMs;
    performance.now() < deadline;
    await sleep(LOG_POLL_MS, signal)
  ) {
    signal.throwIfAborted();
    for (const line of await log.read()) {
      const count = /\bsymbols=(\d{1,9})\b/.exec(line.message)?.[1];
      if (count !== undefined && log.journal.form.isOfProgram(line, SCRIPT)) return Number(count);
    }
  }
  throw new StepFailure('E_TIMEOUT', 'The script that shows the symbols did not say how many. Try again.');
};

/** MARKET_WATCH_SHOW_ALL. No command exists for it: a helper script runs once at a start. */
export const marketWatchShowAll: TaskHandler<'MARKET_WATCH_SHOW_ALL'> = async ({ terminal, steps, signal }) => {
  const { live, home, edition } = terminal;
  const { scriptMs } = edition.timing;
  assertRunning(terminal);
  const { log } = await steps.run('start_script', async () => {
    await placeScript(terminal);
    const hasChart = (await home.profile.listCharts()).length > 0;
    const log = await JournalTail.fromEnd(await holdExpertsLog(home, edition));
    try {
      await live.launch({ script: { name: SCRIPT, ...(hasChart ? {} : { symbol: COMMON_SYMBOL }) }, signal });
    } catch (error) {
      await log.close();
      throw error;
    }
    return { message: 'The terminal was started with the helper script.', log };
  });
  try {
    await steps.run('log_in', async () => {
      await waitForLogin(terminal, signal);
      return { message: 'The terminal is logged in.' };
    });
    await steps.run('show_symbols', async () => {
      await live.waitUntil(({ finishedScripts }) => finishedScripts.includes(SCRIPT), { timeoutMs: scriptMs, signal });
      const symbols = await readCount(log, scriptMs, signal);
      return { message: `The Market Watch shows ${symbols} symbols.`, data: { symbols } };
    });
  } finally {
    await log.close();
  }
};
