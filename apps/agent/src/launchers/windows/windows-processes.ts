import { sleep } from '@berth/kit';
import {
  LauncherError,
  type Box,
  type ProcessHandle,
  type ProcessLoad,
  type Processes,
  type Program,
  type StartOptions,
} from '../launcher.ts';
import { toCommandLine } from './command-line.ts';
import type { SessionHelper, SessionProcess, JobLimits, ProcessQuestion } from './windows-session.ts';
import { toBoxQuestion, type ToWindowsPath } from './windows-box.ts';
import { assertTerminalFolder, isSamePath } from './windows-paths.ts';
import { listVisibleWindows } from './windows-screen.ts';

export const WINDOWS_LAUNCHER = 'windows';

export interface WindowsProcessesOptions {
  helper: SessionHelper;
  box: Box;
  program: Program;
  limits: JobLimits;
  toWindowsPath: ToWindowsPath;
  /** Where Windows keeps its own programs. */
  systemFolder: string;
  /** Ends a process by its number with Windows' own command, from the agent. */
  killByCommand: (pid: number) => Promise<void>;
}

/** A killed process may have to wait for a disk, or for a driver. */
const CLEAR_MS = 15_000;
const CLEAR_POLL_MS = 50;

const toHandle = ({ pid, created }: { pid: number; created: string }): ProcessHandle => ({
  launcher: WINDOWS_LAUNCHER,
  id: `${pid}:${created}`,
});

const isProcess = ({ launcher, id }: ProcessHandle, { pid, created }: SessionProcess): boolean =>
  launcher === WINDOWS_LAUNCHER && id === `${pid}:${created}`;

/**
 * One terminal in a user's session. It is identified by the path of its executable: never by the name of its image, nor
 * by a title, which all terminals of a broker share. The program's mark is not needed for that: Windows does not show
 * its command line to others. Its job limits it and everything it starts.
 */
export class WindowsProcesses implements Processes {
  readonly #options: WindowsProcessesOptions;
  readonly #question: ProcessQuestion;
  readonly #executable: string;

  constructor(options: WindowsProcessesOptions) {
    this.#options = options;
    this.#question = toBoxQuestion(options.box, options.toWindowsPath);
    this.#executable = options.toWindowsPath(options.program.command[0]);
  }

  async start({ args, environment }: StartOptions): Promise<ProcessHandle> {
    const { helper, program, limits, box, toWindowsPath } = this.#options;
    assertTerminalFolder(toWindowsPath(box.folder));
    const [, ...first] = program.command;
    return toHandle(
      await helper.start({
        program: this.#executable,
        arguments: toCommandLine(this.#executable, [...first, ...args]),
        folder: toWindowsPath(program.folder),
        environment,
        job: this.#question.job,
        limits,
      }),
    );
  }

  async isRunning(handle: ProcessHandle): Promise<boolean> {
    if (handle.launcher !== WINDOWS_LAUNCHER) return false;
    return (await this.#listTerminals()).some((process) => isProcess(handle, process));
  }

  /** The oldest where there are several: those that a terminal starts itself come later. */
  async find(): Promise<ProcessHandle | undefined> {
    const [first, ...others] = await this.#listTerminals();
    const isOlder = (one: SessionProcess, other: SessionProcess) => BigInt(one.created) < BigInt(other.created);
    return first && toHandle(others.reduce((oldest, next) => (isOlder(next, oldest) ? next : oldest), first));
  }

  /** Each of its windows is asked to close, so that a dialog in front of another one does not swallow the request. */
  async close(handle: ProcessHandle): Promise<void> {
    const { helper } = this.#options;
    const process = (await this.#listTerminals()).find((found) => isProcess(handle, found));
    if (!process) return;
    const windows = await listVisibleWindows(helper, new Set([process.pid]));
    if (windows.length === 0) return this.#closeByCommand(process);
    const asked = windows.map(({ handle: window }) => helper.askWindows([{ op: 'close', window }]));
    // One may close as soon as another one was asked to.
    const results = await Promise.allSettled(asked);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed && results.every(({ status }) => status === 'rejected')) throw failed.reason;
  }

  async clear(): Promise<void> {
    const { helper } = this.#options;
    const deadline = performance.now() + CLEAR_MS;
    for (;;) {
      const { processes } = await helper.listProcesses(this.#question);
      if (processes.length === 0) return;
      if (performance.now() >= deadline) break;
      await helper.endJob(this.#question.job);
      await Promise.all(processes.map((process) => this.#end(process)));
      await sleep(CLEAR_POLL_MS);
    }
    const text = `Processes of the terminal in ${this.#question.path} do not end, or come back. Restart the host.`;
    throw new LauncherError('stuck', text);
  }

  async measure(): Promise<ProcessLoad | undefined> {
    const { processes } = await this.#options.helper.listProcesses(this.#question);
    if (processes.length === 0) return undefined;
    const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0);
    return {
      memoryBytes: sum(processes.map(({ memory_bytes }) => memory_bytes)),
      cpuMs: sum(processes.map(({ cpu_ms }) => cpu_ms)),
    };
  }

  /** For a terminal that runs without a window: this asks invisible ones too, in the session they are in. */
  async #closeByCommand({ pid }: SessionProcess): Promise<void> {
    const { helper, systemFolder } = this.#options;
    const program = `${systemFolder}\\taskkill.exe`;
    await helper.start({
      program,
      arguments: toCommandLine(program, ['/PID', String(pid)]),
      folder: systemFolder,
      environment: {},
      job: '',
      limits: { memoryMb: 0, processes: 0, cpuPercent: 0 },
    });
  }

  /**
   * A process that the session helper may not end, such as one with more rights than its user, the agent may be able
   * to.
   */
  async #end(process: SessionProcess): Promise<void> {
    try {
      await this.#options.helper.end(process);
    } catch {
      await this.#options.killByCommand(process.pid).catch(() => undefined);
    }
  }

  async #listTerminals(): Promise<SessionProcess[]> {
    const { processes, isTruncated } = await this.#options.helper.listProcesses(this.#question);
    const terminals = processes.filter(({ path }) => isSamePath(path, this.#executable));
    if (terminals.length === 0 && isTruncated) {
      throw new LauncherError('stuck', 'The terminal has more processes than can be listed. End them on the host.');
    }
    return terminals;
  }
}
