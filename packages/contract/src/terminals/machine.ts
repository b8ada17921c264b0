/**
 * The terminal machine: which status may follow which, and which tasks a status admits. Pure.
 * Statuses 1-6 are what the host observed; 7-10 are the service's own conclusions.
 */
import { TaskType } from '../tasks/types.ts';

export const TerminalStatus = {
  PENDING: 0,
  INSTALLING: 1,
  CONNECTING: 2,
  ACTIVE: 3,
  DISCONNECTED: 4,
  STOPPED: 5,
  LOGIN_FAILED: 6,
  FAILED: 7,
  DESTROYING: 8,
  DESTROYED: 9,
  UNREACHABLE: 10,
} as const;
export type TerminalStatusName = keyof typeof TerminalStatus;
export type TerminalStatus = (typeof TerminalStatus)[TerminalStatusName];

export const terminalStatuses = Object.values(TerminalStatus);

const names = Object.fromEntries(Object.entries(TerminalStatus).map(([name, status]) => [status, name]));
export const toTerminalStatusName = (status: TerminalStatus): TerminalStatusName => names[status] as TerminalStatusName;

/** from → the statuses that may follow. */
export const terminalMoves: Record<TerminalStatus, readonly TerminalStatus[]> = {
  0: [1, 7, 8],
  1: [2, 7, 8, 10],
  2: [3, 4, 6, 8, 10],
  3: [2, 4, 5, 6, 8, 10],
  4: [2, 3, 5, 6, 8, 10],
  5: [2, 8, 10],
  6: [2, 8, 10],
  7: [1, 8],
  8: [9],
  9: [],
  10: [1, 2, 3, 4, 5, 6, 8],
};

export const canMoveTerminal = (from: TerminalStatus, to: TerminalStatus): boolean => terminalMoves[from].includes(to);

/** Statuses that an agent may report: what it sees on its host. */
export const observableStatuses = [1, 2, 3, 4, 5, 6] as const;
export type ObservableStatus = (typeof observableStatuses)[number];

/**
 * The status after an observation, or undefined where it changes nothing. A host reports what is so, not how it came
 * about: where only an intermediate CONNECTING is missing (5 → 3), the observation still counts.
 */
export const decideObservation = (from: TerminalStatus, observed: ObservableStatus): TerminalStatus | undefined => {
  if (from === observed) return undefined;
  const isReachable = canMoveTerminal(from, observed);
  const isReachableByConnecting = canMoveTerminal(from, 2) && canMoveTerminal(2, observed);
  const isReachableByInstalling = canMoveTerminal(from, 1) && (observed === 2 || canMoveTerminal(2, observed));
  return isReachable || isReachableByConnecting || isReachableByInstalling ? observed : undefined;
};

/** Why a terminal takes no tasks of its user. In any other status it does: before it is installed they wait behind that. */
const refusals: Partial<Record<TerminalStatus, string>> = {
  [TerminalStatus.FAILED]: 'The installation of the terminal failed. Delete it and create it again.',
  [TerminalStatus.DESTROYING]: 'The terminal is being destroyed.',
  [TerminalStatus.DESTROYED]: 'The terminal is being destroyed.',
};

/** Statuses in which a terminal takes tasks of its user; its destruction is asked for in another way, and also when FAILED. */
export const admittingStatuses: readonly TerminalStatus[] = terminalStatuses.filter((status) => !refusals[status]);

/** Why a user's task of this type cannot be created on a terminal in this status; undefined where it can. */
export const findTaskRefusal = (status: TerminalStatus, type: TaskType): string | undefined => {
  if (type === TaskType.TERMINAL_INSTALL) return 'A terminal is installed by creating it.';
  if (type === TaskType.TERMINAL_DESTROY && status === TerminalStatus.FAILED) return undefined;
  return refusals[status];
};
