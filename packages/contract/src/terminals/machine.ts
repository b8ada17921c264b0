/**
 * The terminal machine: which status may follow which, and which tasks a status allows. Pure. Statuses 1-6 are observed
 * by the host; 7-10 are concluded by the service.
 */
import { TaskType } from '../tasks/types.ts';
import { TerminalStatus, terminalStatuses } from './values.ts';

export * from './values.ts';

const { PENDING, INSTALLING, CONNECTING, ACTIVE, DISCONNECTED, STOPPED, LOGIN_FAILED } = TerminalStatus;
const { FAILED, DESTROYING, DESTROYED, UNREACHABLE } = TerminalStatus;

/** from → the statuses that may follow. */
export const terminalTransitions: Record<TerminalStatus, readonly TerminalStatus[]> = {
  [PENDING]: [INSTALLING, FAILED, DESTROYING],
  [INSTALLING]: [CONNECTING, FAILED, DESTROYING, UNREACHABLE],
  [CONNECTING]: [ACTIVE, DISCONNECTED, STOPPED, LOGIN_FAILED, DESTROYING, UNREACHABLE],
  [ACTIVE]: [CONNECTING, DISCONNECTED, STOPPED, LOGIN_FAILED, DESTROYING, UNREACHABLE],
  [DISCONNECTED]: [CONNECTING, ACTIVE, STOPPED, LOGIN_FAILED, DESTROYING, UNREACHABLE],
  [STOPPED]: [CONNECTING, DESTROYING, UNREACHABLE],
  [LOGIN_FAILED]: [CONNECTING, STOPPED, DESTROYING, UNREACHABLE],
  [FAILED]: [INSTALLING, DESTROYING],
  [DESTROYING]: [DESTROYED],
  [DESTROYED]: [],
  [UNREACHABLE]: [INSTALLING, CONNECTING, ACTIVE, DISCONNECTED, STOPPED, LOGIN_FAILED, DESTROYING],
};

/**
 * True where a terminal may go directly from one status to the other.
 * @example
 * import { isTerminalTransition, TerminalStatus } from '@berth/contract/values';
 * isTerminalTransition(TerminalStatus.ACTIVE, TerminalStatus.STOPPED); // => true
 * isTerminalTransition(TerminalStatus.DESTROYED, TerminalStatus.ACTIVE); // => false
 */
export const isTerminalTransition = (from: TerminalStatus, to: TerminalStatus): boolean =>
  terminalTransitions[from].includes(to);

/** Statuses that an agent may report: what it observes on its host. */
export const observableStatuses = [INSTALLING, CONNECTING, ACTIVE, DISCONNECTED, STOPPED, LOGIN_FAILED] as const;
export type ObservableStatus = (typeof observableStatuses)[number];

/**
 * The status after an observation, or undefined where it changes nothing. A host reports the current state, not how it
 * was reached: where only an intermediate CONNECTING is missing (5 → 3), the observation still counts.
 * @example
 * import { decideObservation, TerminalStatus } from '@berth/contract/values';
 * decideObservation(TerminalStatus.STOPPED, TerminalStatus.ACTIVE); // => TerminalStatus.ACTIVE
 * decideObservation(TerminalStatus.DESTROYING, TerminalStatus.ACTIVE); // => undefined
 */
export const decideObservation = (from: TerminalStatus, observed: ObservableStatus): TerminalStatus | undefined => {
  if (from === observed) return undefined;
  const isReachable = isTerminalTransition(from, observed);
  const isReachableByConnecting = isTerminalTransition(from, CONNECTING) && isTerminalTransition(CONNECTING, observed);
  const isReachableByInstalling =
    isTerminalTransition(from, INSTALLING) && (observed === CONNECTING || isTerminalTransition(CONNECTING, observed));
  return isReachable || isReachableByConnecting || isReachableByInstalling ? observed : undefined;
};

/**
 * Why a terminal does not accept tasks from its user. In any other status it does: before it is installed they wait for
 * that.
 */
const refusals: Partial<Record<TerminalStatus, string>> = {
  [FAILED]: 'The installation of the terminal failed. Delete it and create it again.',
  [DESTROYING]: 'The terminal is being destroyed.',
  [DESTROYED]: 'The terminal is being destroyed.',
};

/**
 * Statuses in which a terminal accepts tasks from its user; its destruction is requested in another way, and also when
 * FAILED.
 */
export const admittingStatuses: readonly TerminalStatus[] = terminalStatuses.filter((status) => !refusals[status]);

/**
 * Why a user's task of this type cannot be created on a terminal in this status; undefined where it can.
 * @example
 * import { findTaskRefusal, TaskType, TerminalStatus } from '@berth/contract/values';
 * findTaskRefusal(TerminalStatus.INSTALLING, TaskType.SCREENSHOT); // => undefined
 * findTaskRefusal(TerminalStatus.DESTROYING, TaskType.SCREENSHOT); // => 'The terminal is being destroyed.'
 */
export const findTaskRefusal = (status: TerminalStatus, type: TaskType): string | undefined => {
  if (type === TaskType.TERMINAL_INSTALL) return 'A terminal is installed by creating it.';
  if (type === TaskType.TERMINAL_DESTROY && status === FAILED) return undefined;
  return refusals[status];
};
