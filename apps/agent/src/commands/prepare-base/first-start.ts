import { sleep } from '@berth/kit';
import type { BasedPlatform } from '../../bases/places.ts';
import { CommandError } from '@berth/command';
import type { BaseBox } from './base-box.ts';

/** The first start unpacks and compiles thousands of files. */
const START_MS = 5 * 60_000;
const COMPILE_MS = 10 * 60_000;
/** The journal is flushed late, and a MetaTrader 4 that was setting itself up wrote nothing for 13 s. */
const QUIET_MS = 15_000;
const LOOK_MS = 500;
const CLOSE_MS = 90_000;
const MAX_JOURNAL_BYTES = 1024 * 1024;

/** The content of the journals so far. They are read inside the box: its files belong to the terminal while it runs. */
export const readJournals = async (box: BaseBox, folder: string): Promise<string> => {
  const script = 'cd "$1" && for file in [Ll]ogs/*.log; do cat "$file"; done';
  const command = ['/bin/sh', '-c', script, 'berth', folder];
  const content = await box.look(command, MAX_JOURNAL_BYTES);
  // MetaTrader 5 writes two bytes for a character, MetaTrader 4 one.
  return content.includes(0) ? content.toString('utf16le') : content.toString('latin1');
};

/** `started for` a company, or `started (Company)` in older builds and in all of MetaTrader 4. */
const BUILD = /\bbuild (\d{1,6}) started\b/i;

/** The last build that a journal names; undefined where it names none. Pure. */
export const findBuild = (journals: string): number | undefined => {
  const builds = journals.split('\n').flatMap((line) => BUILD.exec(line)?.[1] ?? []);
  const last = builds.at(-1);
  return last === undefined ? undefined : Number(last);
};

/** An update, after which the terminal restarts by itself. */
const UPDATE = /LiveUpdate.*(?:downloaded successfully|updater - started)|\bstart "[^"]*liveupdate/i;
/** Messages of a terminal that has exited normally. Of old builds, and of MetaTrader 4, without a code. */
const END = /\b(?:exit with code|shutdown with|stopped with) 0\b|\bbuild \d{1,6} stopped\b|\tTerminal\tstopped\s*$/;

/**
 * Whether the terminal exited by itself, and not for an update: a broker's terminal does so without an account. Pure.
 */
export const hasEndedWell = (journals: string): boolean => {
  const lines = journals.split('\n');
  const run = lines.slice(lines.findLastIndex((line) => BUILD.test(line)));
  return run.some((line) => END.test(line)) && !run.some((line) => UPDATE.test(line));
};

/** Whether the terminal is still compiling the programs it came with. Pure. */
export const isCompiling = (journals: string): boolean => {
  const steps = [...journals.matchAll(/recompilation (?:has been )?(started|finished)/gi)];
  return steps.at(-1)?.[1] === 'started';
};

/**
 * Starts the terminal for the first time, lets it settle, and closes its window, so that it saves its files.
 * @returns its build. Throws a CommandError where it shows no window, writes no journal, or does not close.
 */
export const startForTheFirstTime = async (
  box: BaseBox,
  platform: BasedPlatform,
  assertRoom: () => Promise<void>,
): Promise<number> => {
  const folder = `${box.insideHome}/${platform}`;
  const handle = await box.startTerminal();
  const processes = box.terminal();
  const hasEnded = async (): Promise<true | undefined> => {
    if (!(await processes.find())) return true;
    await sleep(LOOK_MS);
    return undefined;
  };
  const findStarted = async (): Promise<number | undefined> => {
    await assertRoom();
    const journals = await readJournals(box, folder);
    const build = findBuild(journals);
    if (build !== undefined && ((await box.screen.hasWindow()) || hasEndedWell(journals))) return build;
    await sleep(LOOK_MS);
    return undefined;
  };
  const build = await box.waitFor('The first start of the terminal', findStarted, START_MS);
  let [journals, changedAtMs] = ['', performance.now()];
  const hasSettled = async (): Promise<true | undefined> => {
    await assertRoom();
    const now = await readJournals(box, folder);
    if (now !== journals) [journals, changedAtMs] = [now, performance.now()];
    const quietMs = performance.now() - changedAtMs;
    // A compilation has pauses of its own, and one that was cut off by the terminal's end never continues.
    if (quietMs >= QUIET_MS && (!isCompiling(journals) || hasEndedWell(journals))) return true;
    await sleep(LOOK_MS);
    return undefined;
  };
  await box.waitFor('The terminal', hasSettled, COMPILE_MS);
  if (!(await processes.find())) {
    if (hasEndedWell(journals)) return findBuild(journals) ?? build;
    throw new CommandError(
      'The terminal ended by itself after its first start. Try again; it may have updated itself.',
    );
  }
  await processes.close(handle);
  await box.waitFor('The terminal, asked to close,', hasEnded, CLOSE_MS);
  return findBuild(journals) ?? build;
};
