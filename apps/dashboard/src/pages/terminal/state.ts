/** What the terminal is: its status, sentence, ping and advice follow from the same answer. */
import type { Terminal } from '@berth/client';
import { toTerminalState, type TerminalState } from '../../parts/terminal-status.tsx';

export const toState = ({
  status_name,
  status_reason,
}: Pick<Terminal, 'status_name' | 'status_reason'>): TerminalState => toTerminalState(status_name, status_reason);

/** The last ping of a terminal that is active; what was measured before it lost its broker is none. */
export const toPing = (terminal: Pick<Terminal, 'status_name' | 'status_reason' | 'link'>): number | null =>
  toState(terminal) === 'ACTIVE' && terminal.link?.state === 'up' ? terminal.link.ping_ms : null;

export type AlgoState = 'on' | 'off' | 'blocked' | 'unknown' | 'idle';

/** Without their program, experts do not run. */
const IDLE: ReadonlySet<TerminalState> = new Set([
  'PENDING',
  'INSTALLING',
  'RESTARTING',
  'STOPPED',
  'LOGGED_OUT',
  'FAILED',
  'DESTROYING',
]);

/** Whether its program is known not to run: what was measured before it ended says nothing any more. */
export const isIdle = (terminal: Pick<Terminal, 'status_name' | 'status_reason'>): boolean =>
  IDLE.has(toState(terminal));

/** Whether experts may trade; `blocked`: something else than the switch keeps them from it. */
export const toAlgoState = (terminal: Terminal): AlgoState => {
  const { trading_allowed: isAllowed, trading_reason: reason } = terminal;
  if (isIdle(terminal)) return 'idle';
  if (reason === 'terminal_switch') return 'off';
  if (reason || isAllowed === false) return 'blocked';
  return isAllowed ? 'on' : 'unknown';
};

/** A reason in two: what happened, and what follows from it or is to be done, if it says so. */
export const toReasonParts = (reason: string): { cause: string; rest: string } => {
  const [, cause = reason, rest = ''] = /^(.+?[.!?])\s+(\S.*)$/s.exec(reason.trim()) ?? [];
  return { cause: /[.!?:]$/.test(cause.trim()) ? cause.trim() : `${cause.trim()}.`, rest };
};
