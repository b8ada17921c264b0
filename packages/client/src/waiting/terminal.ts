/** Waiting for the status of a terminal. */
import { NotFoundError } from '../errors.ts';
import type { CallOptions } from '../options.ts';
import { toNumbers, type NamesOrNumbers } from '../resources/names.ts';
import { TerminalStatus, type LiveEvent, type Terminal, type TerminalStatusName } from '../types.ts';
import { terminalStatusNames } from '../status-names.ts';
import type { Changes } from './changes.ts';
import { TerminalStateError } from './errors.ts';
import { waitUntil, type WaitOptions } from './wait.ts';

export type { WaitOptions };

/** A terminal, as it is listed or as it is read alone. */
export type Seen = Pick<Terminal, 'id' | 'status'> & Partial<Terminal>;

interface Source {
  /** May be read together with others, and then without details. */
  read: (signal: AbortSignal) => Promise<Seen>;
  readAlone: (options: CallOptions) => Promise<Terminal>;
  changes: Changes;
}

const WAIT_MS = 30 * 60_000;
/** After a login was requested, the terminal's old status may still be shown for a moment. */
const SETTLING_MS = 30_000;
/** For the last look after the wait has timed out. */
const OUTCOME_MS = 2_000;

const { FAILED, DESTROYING, DESTROYED, LOGIN_FAILED, STOPPED } = TerminalStatus;
/** The only way out of these is a new terminal. */
const lost = new Set<TerminalStatus>([FAILED, DESTROYING, DESTROYED]);
/** The way out of these is a login, which somebody has to request. */
const stuck = new Set<TerminalStatus>([LOGIN_FAILED, STOPPED]);

/** @throws TerminalStateError where the terminal will not reach the status by itself */
export const waitForTerminal = async (
  { read, readAlone, changes }: Source,
  id: string,
  status: NamesOrNumbers<TerminalStatusName>,
  { signal, waitMs = WAIT_MS }: WaitOptions,
): Promise<Terminal> => {
  const wanted = new Set(toNumbers(TerminalStatus, status));
  const names = [...wanted].map((number) => terminalStatusNames[number as TerminalStatus]).join(' or ');
  const key = String(id).toLowerCase();
  const began = Date.now();
  /** The last status seen, and whether it was different before. */
  let last: TerminalStatus | undefined;
  let hasMoved = false;
  let terminal: Terminal | undefined;
  const note = (seen: TerminalStatus): void => {
    hasMoved ||= last !== undefined && last !== seen;
    last = seen;
  };
  const isEnd = (now: TerminalStatus): boolean => {
    if (wanted.has(now)) return true;
    if (stuck.has(now)) return hasMoved || Date.now() - began > SETTLING_MS;
    return lost.has(now) && !(now === DESTROYING && wanted.has(DESTROYED));
  };
  const look = async (over: AbortSignal): Promise<Terminal | undefined> => {
    try {
      const seen = await read(over);
      note(seen.status);
      const isWhole = seen.status_name !== undefined;
      // Those who wait for the end get the terminal as it was, so it is read once before.
      const isNeeded = isEnd(seen.status) || (!terminal && wanted.has(DESTROYED));
      if (!isWhole && !isNeeded) return undefined;
      terminal = isWhole ? (seen as Terminal) : await readAlone({ signal: over, maxRetries: 0 });
      note(terminal.status);
    } catch (error) {
      if (!(error instanceof NotFoundError && terminal && wanted.has(DESTROYED))) throw error;
      return { ...terminal, status: DESTROYED, status_name: 'DESTROYED' };
    }
    if (!isEnd(terminal.status)) return undefined;
    if (wanted.has(terminal.status)) return terminal;
    const { status_name: name, status_reason: reason } = terminal;
    throw new TerminalStateError(`Terminal ${id} is ${name}, not ${names}. ${reason ?? ''}`.trim(), terminal);
  };
  /** Events contain the status; the reason is read at the end. */
  const isReason = ({ event, data }: LiveEvent): boolean => {
    if (event !== 'terminal' || data.id !== key) return false;
    note(data.status);
    return isEnd(data.status);
  };
  const toOutcome = async (): Promise<string> => {
    if (last === undefined) return 'It was not seen.';
    const read = async () => readAlone({ maxRetries: 0, timeoutMs: OUTCOME_MS }).catch(() => undefined);
    const now = signal?.aborted ? undefined : await read();
    const reason = now?.status_reason ? ` (${now.status_reason})` : '';
    return `It was ${terminalStatusNames[now?.status ?? last]}${reason} then, and goes on by itself.`;
  };
  const what = `Waiting until terminal ${id} is ${names}`;
  return waitUntil({ what, look, isReason, changes, signal, waitMs, toOutcome });
};
