/**
 * The window program of a box that runs: it is started with the first question, and stays running for the next ones. A
 * question is a file, as is its answer; the FIFO `questions`, from which the program reads, gets their names. What
 * answers lies in the box and may be anything: an answer has a time limit, and a program that exceeds it is killed, so
 * that the next question starts a new one.
 *
 *   absent ─ question ─▶ starting ─ FIFO is read ─▶ staying ─ answer ─▶ staying …
 *      ▲                     └────────── no answer in time ──────┴─▶ killed, FIFO removed ─┐
 *      └───────────────────────────────────────────────────────────────────────────────────┘
 */
import { endProcess, isProcessAlive, sleep, type ProcessIdentity } from '@berth/kit';
import { LauncherError } from '../launcher.ts';
import { toNewName, type BoxExchange } from './box-exchange.ts';
import type { InsidePaths } from './box-paths.ts';
import type { BoxedProcess } from './box-walk.ts';
import { RUN_FILES } from './keeper.ts';
import { WINDOW_PROGRAM, type WineHost } from './wine-host.ts';

/** The real program's answers stay within 256 kB; anything else that writes there may not. */
const MAX_ANSWER_BYTES = 256 * 1024;
const START_POLL_MS = 5;
/**
 * A killed program that has not ended yet would be taken for a running one. One that hangs in the kernel is not waited
 * for.
 */
const END_MS = 1_000;

const toInside = (name: string): string => `C:\\berth\\${name}`;
const STAY = 'stay';

/** Reads from the FIFO that it creates. If there is one already, another agent was faster. */
const STARTER = 'mkfifo -m 600 "$0" && exec "$@" <>"$0"';

/** Matches the command line, which the shell and the loader that become the program have as well. */
const isWindowProgram = ({ command }: BoxedProcess): boolean =>
  command.includes(toInside(WINDOW_PROGRAM)) && command.includes(STAY);

/** The two processes that an answer depends on. The program is unknown until it was looked for. */
interface Running {
  init: ProcessIdentity;
  program: ProcessIdentity | undefined;
}

const isProgramAlive = ({ program }: Running): boolean => program === undefined || isProcessAlive(program);

const isRunning = (running: Running): boolean => isProcessAlive(running.init) && isProgramAlive(running);

/**
 * Whether the box still runs. Throws a LauncherError (`screen`) when it does, and only its window program has ended.
 */
const isBoxAlive = (running: Running): boolean => {
  if (!isProcessAlive(running.init)) return false;
  if (isProgramAlive(running)) return true;
  throw new LauncherError('screen', 'The program that looks at the windows ended before it answered. Try again.');
};

/** What the program needs of its box. */
export interface ProgramBox {
  readonly exchange: BoxExchange;
  readonly inside: InsidePaths;
  /** Undefined where it does not run. */
  find(): Promise<{ init: ProcessIdentity; processes: BoxedProcess[] } | undefined>;
}

/** Answers one question at a time. */
export class WindowProgram {
  readonly #box: ProgramBox;
  readonly #host: WineHost;
  #running: Running | undefined;

  constructor(box: ProgramBox, host: WineHost) {
    this.#box = box;
    this.#host = host;
  }

  /**
   * @param requests lines in the window program's language
   * @returns the answers. Throws a LauncherError (`screen`) when the box does not run, or nothing answers in time.
   */
  ask(requests: string, timeoutMs: number): Promise<Buffer> {
    return this.#box.exchange.takeTurn(() => this.#ask(requests, performance.now() + timeoutMs));
  }

  async #ask(requests: string, deadline: number): Promise<Buffer> {
    const { exchange } = this.#box;
    const name = toNewName();
    const [request, answer] = [`${name}.req`, `${name}.ans`];
    await exchange.write(request, requests);
    try {
      const running = await this.#send(`${toInside(request)}\t${toInside(answer)}`, deadline);
      return await this.#waitFor(answer, running, deadline);
    } finally {
      await Promise.all([exchange.remove(request), exchange.remove(answer)]);
    }
  }

  /** A program that does not answer is killed. */
  async #waitFor(answer: string, running: Running, deadline: number): Promise<Buffer> {
    const limits = { maxBytes: MAX_ANSWER_BYTES, timeoutMs: deadline - performance.now() };
    try {
      return await this.#box.exchange.waitFor(answer, { ...limits, isAlive: () => isBoxAlive(running) });
    } catch (error) {
      await this.#clear((await this.#box.find())?.processes ?? []);
      throw error;
    }
  }

  /** Passes a line to the program, which is started if it is not running. */
  async #send(line: string, deadline: number): Promise<Running> {
    const send = () => this.#box.exchange.send(RUN_FILES.questions, line);
    if (this.#running?.program && isRunning(this.#running) && (await send())) return this.#running;
    const box = await this.#getBox();
    const program = box.processes.find(isWindowProgram);
    if (!program) {
      await this.#clear([]);
      await this.#start();
    }
    const running = (this.#running = { init: box.init, program });
    while (!(await send())) {
      if (!isRunning(running) || performance.now() >= deadline) {
        await this.#clear(box.processes);
        // The program that was found had been about to end: a new one is started.
        const hasEnded = program && isProcessAlive(box.init) && performance.now() < deadline;
        if (hasEnded) return this.#send(line, deadline);
        throw new LauncherError('screen', 'The program that looks at the windows does not listen. Try again.');
      }
      await sleep(START_POLL_MS);
    }
    return running;
  }

  /** Kills processes that read from the FIFO without being the program. */
  async #clear(processes: readonly BoxedProcess[]): Promise<void> {
    this.#running = undefined;
    const programs = processes.filter(isWindowProgram);
    await Promise.allSettled(programs.map((program) => endProcess(program, [['SIGKILL', END_MS]])));
    await this.#box.exchange.remove(RUN_FILES.questions);
  }

  async #start(): Promise<void> {
    const { exchange, inside } = this.#box;
    const { loader64 } = await this.#host.getPrograms();
    const fifo = `${inside.run}/${RUN_FILES.questions}`;
    const program = [loader64, toInside(WINDOW_PROGRAM), STAY];
    await exchange.run({ folder: inside.prefix, command: ['/bin/sh', '-c', STARTER, fifo, ...program] });
  }

  async #getBox() {
    const box = await this.#box.find();
    if (box) return box;
    throw new LauncherError('screen', 'The terminal has no screen: its box does not run. Start the terminal.');
  }
}
