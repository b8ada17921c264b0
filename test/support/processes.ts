/**
 * Real child processes for tests: each in a process group of its own, watched line by line, all ended at the end of the
 * test.
 */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import type { ProcessEnd } from '@berth/kit';
import { waitFor, type WaitOptions } from './wait-for.ts';

export interface SpawnedProcess {
  pid: number;
  child: ChildProcess;
  /** All of stdout and stderr so far. */
  readonly output: string;
  ended: Promise<ProcessEnd>;
  /** Waits until the output has a complete matching line; returns the match. Rejects when the process ends first. */
  waitForLine(pattern: RegExp, options?: WaitOptions): Promise<RegExpExecArray>;
  /** Signals the process alone, not its group. */
  kill(signal: NodeJS.Signals): void;
}

const running = new Set<ChildProcess>();

/** Starts a process whose output is collected; `endProcesses` ends it at the latest. */
export const spawnProcess = (program: string, args: readonly string[], options: SpawnOptions = {}): SpawnedProcess => {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  running.add(child);
  let end: ProcessEnd | undefined;
  const ended = new Promise<ProcessEnd>((resolve, reject) => {
    child.once('error', reject);
    // "close" comes after the last byte of output. A group that outlives its leader stays in the list; the number of
    // one that is gone may soon be reused.
    child.once('close', (code, signal) => {
      if (!isGroupAlive(child)) running.delete(child);
      resolve((end = { code, signal }));
    });
  });
  ended.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    child,
    get output() {
      return output;
    },
    ended,
    waitForLine: (pattern, wait) =>
      waitFor(
        () => {
          const found = findLine(output, pattern);
          if (!found && end)
            throw new Error(`${program} ended (${end.code ?? end.signal}) without ${pattern}:\n${output}`);
          return found;
        },
        { what: `a line ${pattern} from ${program}`, ...wait },
      ),
    kill: (signal) => void child.kill(signal),
  };
};

/** Kills the groups of all running processes of this file. Call it in `afterAll` (or `afterEach`). */
export const endProcesses = async (): Promise<void> => {
  const children = [...running];
  running.clear();
  for (const child of children) {
    killGroup(child);
    await waitFor(() => child.exitCode !== null || child.signalCode !== null || child.pid === undefined);
  }
};

const findLine = (output: string, pattern: RegExp): RegExpExecArray | undefined => {
  for (const line of output.split('\n').slice(0, -1)) {
    const found = pattern.exec(line);
    if (found) return found;
  }
  return undefined;
};

const isGroupAlive = ({ pid }: ChildProcess): boolean => {
  try {
    return pid !== undefined && process.kill(-pid, 0);
  } catch {
    return false;
  }
};

const killGroup = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is already gone.
  }
};

// A test file that forgot it, or an interrupted run, must not leave processes either.
process.once('exit', () => running.forEach(killGroup));
