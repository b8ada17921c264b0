/**
 * Statuses of terminals; the numbers are part of the API. A page that only needs their names does not load the machine.
 */
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
export const terminalStatusNames = Object.keys(TerminalStatus) as TerminalStatusName[];

const names = Object.fromEntries(Object.entries(TerminalStatus).map(([name, status]) => [status, name]));
/**
 * The name of a status.
 * @example
 * import { toTerminalStatusName } from '@berth/contract/values';
 * toTerminalStatusName(3); // => 'ACTIVE'
 */
export const toTerminalStatusName = (status: TerminalStatus): TerminalStatusName => names[status] as TerminalStatusName;
