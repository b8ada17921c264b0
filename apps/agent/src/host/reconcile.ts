/**
 * How a starting agent handles what it finds: its journal (attempts whose end the server does not know), the terminals
 * with a folder on this host, and the terminals that the server wants here. Pure.
 *
 * Nothing in the journal is ever run again: the server alone decides on a retry, under a new fence. A terminal that is
 * not wanted here may run elsewhere by now (two terminals on one account trade twice), so it is stopped; its folder
 * stays, because only TERMINAL_DESTROY removes data.
 */
import type { WantedTerminal } from '@berth/contract/agent';
import { TerminalStatus } from '@berth/contract/values';
import type { Attempt, RecordedEnd } from '../attempts/attempt-ledger.ts';
import type { TerminalName } from '../terminals/terminal-keeper.ts';

export interface Found {
  attempts: Attempt[];
  installed: TerminalName[];
  wanted: WantedTerminal[];
}

export type Reconciliation =
  /** The attempt ended before: its end is reported (again). */
  | { kind: 'report'; attempt: Attempt; end: RecordedEnd }
  /** The attempt was running when the agent ended: how far it got is unknown. */
  | { kind: 'interrupt'; attempt: Attempt }
  | { kind: 'keep'; terminal: TerminalName }
  /** The server believes that the terminal is installed here, but it is not. */
  | { kind: 'miss'; terminal: WantedTerminal }
  | { kind: 'stop'; terminal: TerminalName };

/** Statuses of a terminal that has been installed. */
const INSTALLED_STATUSES = new Set<number>([
  TerminalStatus.CONNECTING,
  TerminalStatus.ACTIVE,
  TerminalStatus.DISCONNECTED,
  TerminalStatus.STOPPED,
  TerminalStatus.LOGIN_FAILED,
  TerminalStatus.UNREACHABLE,
]);

/** Reports come first, oldest first; each attempt and each terminal is named exactly once. */
export const decideReconciliation = ({ attempts, installed, wanted }: Found): Reconciliation[] => {
  const wantedIds = new Set(wanted.map(({ id }) => id));
  const installedIds = new Set(installed.map(({ id }) => id));
  return [
    ...attempts.map((attempt): Reconciliation =>
      attempt.end ? { kind: 'report', attempt, end: attempt.end } : { kind: 'interrupt', attempt },
    ),
    ...installed.map((terminal): Reconciliation => ({ kind: wantedIds.has(terminal.id) ? 'keep' : 'stop', terminal })),
    ...wanted
      .filter(({ id, status }) => !installedIds.has(id) && INSTALLED_STATUSES.has(status))
      .map((terminal): Reconciliation => ({ kind: 'miss', terminal })),
  ];
};
