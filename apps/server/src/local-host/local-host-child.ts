import type { ChildProcess } from 'node:child_process';
import { sleep, waitForEnd, type Logger, type SupervisedProcess } from '@berth/kit';

export interface ChildOptions {
  name: string;
  /** Asks it to end; after `politeMs` it gets SIGTERM, and after another TERM_MS SIGKILL. */
  askToEnd: (child: ChildProcess) => void;
  politeMs: number;
  log: Logger;
}

const TERM_MS = 5_000;

/** A running part of the local host: asked to end in its own way, then by signals. */
export const toSupervised = (
  child: ChildProcess,
  { name, askToEnd, politeMs, log }: ChildOptions,
): SupervisedProcess => {
  const ended = waitForEnd(child);
  const end = async (): Promise<void> => {
    askToEnd(child);
    if (await isWithin(ended, politeMs)) return;
    log.warn({ child: name, pid: child.pid }, 'a part of the local host does not end');
    child.kill('SIGTERM');
    if (await isWithin(ended, TERM_MS)) return;
    child.kill('SIGKILL');
    await ended;
  };
  return { pid: child.pid, ended, end };
};

const isWithin = async (ended: Promise<unknown>, waitMs: number): Promise<boolean> => {
  const timer = new AbortController();
  const result = await Promise.race([ended.then(() => true), sleep(waitMs, timer.signal).then(() => false)]);
  timer.abort();
  return result;
};
