/** What tasks are called in a sentence. */
import { TaskType } from '@berth/contract';
import type { MovingType } from './facts.ts';

export const taskNames: Record<MovingType, string> = {
  [TaskType.TERMINAL_INSTALL]: 'The installation',
  [TaskType.TERMINAL_DESTROY]: 'The deletion',
  [TaskType.ACCOUNT_SERVER]: 'The list of trading servers',
  [TaskType.ACCOUNT_LOGIN]: 'The login',
  [TaskType.ACCOUNT_LOGOUT]: 'The logout',
  [TaskType.ACCOUNT_OPEN_DEMO]: 'The opening of a demo account',
  [TaskType.TERMINAL_RESTART]: 'The restart',
  [TaskType.TERMINAL_STOP]: 'The stop',
  [TaskType.TERMINAL_START]: 'The start',
};
