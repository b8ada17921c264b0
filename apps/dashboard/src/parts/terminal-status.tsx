import { toTerminalStatusName } from '@berth/contract/values';
import type { TerminalItem, TerminalStatusName } from '@berth/client';
import { texts } from '../texts/texts.ts';
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

/** The status of a terminal in a word. */
export const TerminalStatusMark = ({ status }: Pick<TerminalItem, 'status'>) => {
  const name = toTerminalStatusName(status);
  return <StatusMark tone={terminalTones[name]}>{texts.terminalStatuses[name]}</StatusMark>;
};
