import { isNotRunning, isServerUnknown, LOGGED_OUT, toTerminalStatusName } from '@berth/contract/values';
import type { TerminalItem, TerminalStatusName } from '@berth/client';
import { pageTexts } from '../texts/page-texts.ts';
import { StatusMark, type Tone } from './status-mark.tsx';

/** How each status of a terminal looks. */
export const terminalTones: Record<TerminalStatusName, Tone> = {
  PENDING: 'wait',
  INSTALLING: 'wait',
  CONNECTING: 'wait',
  ACTIVE: 'good',
  DISCONNECTED: 'cut',
  STOPPED: 'rest',
  LOGIN_FAILED: 'bad',
  FAILED: 'bad',
  DESTROYING: 'rest',
  DESTROYED: 'rest',
  UNREACHABLE: 'cut',
};

/** A status of a terminal, or what its reason makes of it. */
export type TerminalState = TerminalStatusName | 'SERVER_UNKNOWN' | 'RESTARTING' | 'LOGGED_OUT';

/** What a terminal is, for people. Whatever is said of it follows from this, so that nothing contradicts its status. */
export const toTerminalState = (name: TerminalStatusName, reason: string | null | undefined): TerminalState => {
  if (name === 'LOGIN_FAILED' && isServerUnknown(reason)) return 'SERVER_UNKNOWN';
  if (name === 'DISCONNECTED' && isNotRunning(reason)) return 'RESTARTING';
  return name === 'STOPPED' && reason === LOGGED_OUT ? 'LOGGED_OUT' : name;
};

/** The status of a terminal in a word or two; some reasons have words of their own. */
export const TerminalStatusMark = ({ status, reason }: { status: TerminalItem['status']; reason?: string | null }) => {
  const name = toTerminalStatusName(status);
  const { serverUnknown, loggedOut, restarting, terminalStatuses } = pageTexts.frame;
  const words = { ...terminalStatuses, SERVER_UNKNOWN: serverUnknown, RESTARTING: restarting, LOGGED_OUT: loggedOut };
  return <StatusMark tone={terminalTones[name]}>{words[toTerminalState(name, reason)]}</StatusMark>;
};
