/** Boxes as the launcher for Wine starts them, with small Linux programs in them: what isolates is tried without Wine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { findProcessStat } from '@berth/kit';
import { waitFor } from '@berth/testing';
import { type BoxPlan, toBoxCommand } from '@berth/testing/isolation';

/** The plan's usual values; a test changes those that it is about. */
export type BoxChanges = Partial<BoxPlan> & Pick<BoxPlan, 'files'>;

export interface TestBox {
  /** The process whose end is the end of the box. */
  leader: number;
  /** What the box's programs said so far. */
  output(): string;
  /** @returns its exit code, or the name of the signal that ended it */
  readonly ended: Promise<number | string>;
  /** Waits for a text in the output. */
  waitForOutput(pattern: RegExp): Promise<string>;
  close(): Promise<void>;
}

const MAX_OUTPUT = 1024 * 1024;

/** @param edit changes the command line: takes out a protection, to show what it is for */
export const startBox = (
  script: string,
  changes: BoxChanges,
  edit: (args: string[]) => string[] = (args) => args,
): TestBox => {
  const plan: BoxPlan = {
    joinFiles: [],
    hostPorts: [],
    limits: { fileSizeBytes: 256 * 1024 * 1024, openFiles: 1024, processes: 200 },
    allows32Bit: false,
    mounts: { read: [], write: [], temporary: [] },
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/home/trader', LANG: 'C.UTF-8' },
    folder: '/tmp',
    command: ['/bin/bash', '-c', script],
    ...changes,
  };
  const { file, args } = toBoxCommand(plan);
  const child = spawn(file, edit(args), { env: {}, cwd: '/', detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: Buffer) => (output = `${output}${chunk.toString('utf8')}`.slice(-MAX_OUTPUT));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return {
    leader: child.pid ?? 0,
    output: () => output,
    ended,
    waitForOutput: async (pattern) => {
      const find = () => pattern.exec(output)?.[0];
      await waitFor(() => find() ?? child.exitCode !== null, { what: `${String(pattern)} in the box's output` });
      const text = find();
      if (text === undefined) throw new Error(`the box ended: ${output}`);
      return text;
    },
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};

/** Runs a script in a box of its own to its end. @returns what it said */
export const runInBox = async (
  script: string,
  changes: BoxChanges,
  edit?: (args: string[]) => string[],
): Promise<{ code: number | string; output: string }> => {
  const box = startBox(script, changes, edit);
  const code = await box.ended;
  return { code, output: box.output() };
};

/** Makes system calls by their numbers and says what came of each: `name ok`, or `name <number of the error>`. */
export const toCallsScript = (calls: readonly (readonly [name: string, number: number, ...args: number[]])[]): string =>
  `perl -e 'for (@ARGV) { my ($name, $number, @a) = split /,/; my $r = syscall($number + 0, map { $_ + 0 } @a);
     my $e = $! + 0; print "$name ", ($r == -1 ? $e : "ok"), "\\n"; }' ${calls.map((call) => call.join(',')).join(' ')}`;

/** Processes of the host whose command line holds the text. */
export const listProcessesWith = (text: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
      } catch {
        return false;
      }
    });

/** Processes of the host that run under the user; those that ended and that nobody has waited for do not count. */
export const listProcessesOf = (uid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => findProcessStat(pid) !== undefined)
    .filter((pid) => {
      try {
        return statSync(`/proc/${pid}`).uid === uid;
      } catch {
        return false;
      }
    });
