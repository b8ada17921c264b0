/** Waiting for the status of a terminal. */
import { NotFoundError, TerminalStateError } from '../errors.ts';
import type { CallOptions } from '../options.ts';
import { TerminalStatus, type Terminal, type TerminalStatusName } from '../types.ts';
import type { Changes } from './changes.ts';
import { waitUntil, type WaitOptions } from './wait.ts';

export type { WaitOptions };

interface Source {
  read: (options: CallOptions) => Promise<Terminal>;
  changes: Changes;
}

const WAIT_MS = 30 * 60_000;
/** A login that was just asked for needs a moment until the terminal is no longer what it was before. */
const SETTLING_MS = 30_000;

/** No way leads out of these but a new terminal. */
const lost = new Set<TerminalStatusName>(['FAILED', 'DESTROYING', 'DESTROYED']);
/** The way out of these is a login, which somebody has to ask for. */
const stuck = new Set<TerminalStatusName>(['LOGIN_FAILED', 'STOPPED']);

/** @throws TerminalStateError where the terminal does not come to the status by itself */
export const waitForTerminal = (
  { read, changes }: Source,
  id: string,
  status: TerminalStatusName | readonly TerminalStatusName[],
  { signal, waitMs = WAIT_MS }: WaitOptions,
): Promise<Terminal> => {
  const wanted = [status].flat();
  const began = Date.now();
  let before: Terminal | undefined;
  const look = async (options: CallOptions): Promise<Terminal | undefined> => {
    const terminal = await read(options).catch((error: unknown) => {
      if (!(error instanceof NotFoundError && before && wanted.includes('DESTROYED'))) throw error;
      return { ...before, status: TerminalStatus.DESTROYED, status_name: 'DESTROYED' } as const;
    });
    const { status_name: name, status_reason: reason } = terminal;
    if (wanted.includes(name)) return terminal;
    const isNew = before !== undefined && before.status_name !== name;
    before = terminal;
    const isStuck = stuck.has(name) && (isNew || Date.now() - began > SETTLING_MS);
    const isOnItsWay = name === 'DESTROYING' && wanted.includes('DESTROYED');
    if (!isStuck && (isOnItsWay || !lost.has(name))) return undefined;
    throw new TerminalStateError(
      `The terminal is ${name}, not ${wanted.join(' or ')}. ${reason ?? ''}`.trim(),
      terminal,
    );
  };
  return waitUntil({
    what: `Waiting until terminal ${id} is ${wanted.join(' or ')}`,
    look,
    isAbout: ({ event, data }) => event === 'terminal' && data.id === id,
    changes,
    signal,
    waitMs,
    toOutcome: () => `The terminal was ${before?.status_name ?? 'not seen'} then; it goes on by itself.`,
  });
};
