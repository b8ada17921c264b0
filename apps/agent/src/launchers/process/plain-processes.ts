import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import type { ProcessExit } from '@berth/contract/agent';
import {
  endProcess,
  findProcess,
  isProcessAlive,
  toProcessIdentity,
  toProcessWord,
  type ProcessIdentity,
} from '@berth/kit';
import {
  LauncherError,
  type ProcessHandle,
  type ProcessLoad,
  type Processes,
  type Program,
  type StartOptions,
} from '../launcher.ts';
import { withLauncherErrors } from './launcher-errors.ts';
import { measureProcesses, listProcessesIn } from './process-walk.ts';

export const PROCESS_LAUNCHER = 'process';

/** How long a killed process may take to disappear: the kernel may have to wait for a disk. */
const KILL_MS = 10_000;
/** A terminal that restarts itself may escape one look at the process list; not again and again. */
const MAX_ROUNDS = 10;

/** For a process that ended before it could be inspected. */
const ENDED = 'ended';

const toHandle = (identity: ProcessIdentity): ProcessHandle => ({
  launcher: PROCESS_LAUNCHER,
  id: toProcessWord(identity),
});

const toIdentity = ({ launcher, id }: ProcessHandle): ProcessIdentity | undefined =>
  launcher === PROCESS_LAUNCHER ? toProcessIdentity(id) : undefined;

/** One terminal as a process of the host, in a session of its own, under the agent's own account. */
export class PlainProcesses implements Processes {
  readonly #program: Program;
  /** The terminal that was started last, once it has ended. */
  #ended: { id: string; exit: ProcessExit } | undefined;

  constructor(program: Program) {
    this.#program = program;
  }

  start({ args, environment }: StartOptions): Promise<ProcessHandle> {
    const [file, ...first] = this.#program.command;
    return withLauncherErrors(async () => {
      const child = spawn(file, [...first, ...args], {
        cwd: this.#program.folder,
        detached: true,
        stdio: 'ignore',
        env: environment,
      });
      await once(child, 'spawn');
      child.unref();
      const pid = child.pid ?? 0;
      const handle = toHandle(findProcess(pid) ?? { pid, startedAt: ENDED });
      child.once('exit', (code, signal) => (this.#ended = { id: handle.id, exit: { code, signal } }));
      return handle;
    });
  }

  async isRunning(handle: ProcessHandle): Promise<boolean> {
    const identity = toIdentity(handle);
    return identity !== undefined && isProcessAlive(identity);
  }

  async findExit({ id }: ProcessHandle): Promise<ProcessExit | undefined> {
    return this.#ended?.id === id ? this.#ended.exit : undefined;
  }

  async find(): Promise<ProcessHandle | undefined> {
    const [first] = await this.#list();
    return first && toHandle(first);
  }

  async close(handle: ProcessHandle): Promise<void> {
    const identity = toIdentity(handle);
    if (!identity || !isProcessAlive(identity)) return;
    try {
      process.kill(identity.pid, 'SIGTERM');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  async clear(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const left = await this.#list();
      if (left.length === 0) return;
      await Promise.all(left.map((identity) => this.#kill(identity)));
    }
    throw new LauncherError(
      'stuck',
      'The terminal comes back whenever it is ended. Look for what starts it on the host.',
    );
  }

  async measure(): Promise<ProcessLoad | undefined> {
    return measureProcesses((await this.#list()).map(({ pid }) => pid));
  }

  async #kill(identity: ProcessIdentity): Promise<void> {
    try {
      await endProcess(identity, [['SIGKILL', KILL_MS]]);
    } catch (cause) {
      const text = `Process ${identity.pid} does not end. The host's disk or kernel may hang; restart the host.`;
      throw new LauncherError('stuck', text, { cause });
    }
  }

  /** The system reports folders with links resolved. */
  async #list(): Promise<ProcessIdentity[]> {
    const folder = await realpath(this.#program.folder).catch(() => undefined);
    return folder === undefined ? [] : listProcessesIn(folder, this.#program.mark);
  }
}
