/**
 * What the name of a server asks for, so that anybody can try a trouble of real terminals by creating a terminal.
 * docs/platforms/sandbox.md lists the names. Those of the first kind are the trading server's doing, those of the second the terminal's own.
 */
export type ServerTrouble =
  | 'Unreachable'
  | 'Unknown'
  | 'Switching'
  | 'Allocated'
  | 'Expired'
  | 'Netting'
  | 'Fees'
  | 'Requote'
  | 'Rejecting'
  | 'Stuck'
  | 'Unclear'
  | 'Disabled';
export type TerminalTrouble = 'Wiped' | 'Late' | 'Dialog';

/** Server names are compared without regard to case. Pure. */
export const isSameServer = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Whether the name begins with the word. Pure. */
export const hasTrouble = (server: string, trouble: ServerTrouble | TerminalTrouble): boolean =>
  isSameServer(server.slice(0, trouble.length), trouble);
