import { isNotRunning, isServerUnknown, toTerminalStatusName } from '@berth/contract/values';
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

/** The status of a terminal in a word or two; some reasons have words of their own. */
export const TerminalStatusMark = ({ status, reason }: { status: TerminalItem['status']; reason?: string | null }) => {
  const name = toTerminalStatusName(status);
  const { serverUnknown, loggedOut, restarting, terminalStatuses } = pageTexts.frame;
  const isUnknown = name === 'LOGIN_FAILED' && isServerUnknown(reason);
  const isRestarting = name === 'DISCONNECTED' && isNotRunning(reason);
  const isLoggedOut = name === 'STOPPED' && reason === 'logged out';
  const special = isUnknown ? serverUnknown : isRestarting ? restarting : isLoggedOut ? loggedOut : undefined;
  return <StatusMark tone={terminalTones[name]}>{special ?? terminalStatuses[name]}</StatusMark>;
};
