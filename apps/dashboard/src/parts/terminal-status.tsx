import { isServerUnknown, toTerminalStatusName } from '@berth/contract/values';
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

/** The status of a terminal in a word or two; a login that failed for an unknown server, and a logout, have words of their own. */
export const TerminalStatusMark = ({ status, reason }: { status: TerminalItem['status']; reason?: string | null }) => {
  const name = toTerminalStatusName(status);
  const isUnknown = name === 'LOGIN_FAILED' && isServerUnknown(reason);
  const isLoggedOut = name === 'STOPPED' && reason === 'logged out';
  const special = isUnknown ? pageTexts.frame.serverUnknown : isLoggedOut ? pageTexts.frame.loggedOut : undefined;
  return <StatusMark tone={terminalTones[name]}>{special ?? pageTexts.frame.terminalStatuses[name]}</StatusMark>;
};
