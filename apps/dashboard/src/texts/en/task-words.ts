/** Tasks as words: their types, statuses and steps, and what to do when one failed. */
import { stepAdvice } from '@berth/client';

export const taskWords = {
  types: {
    TERMINAL_INSTALL: 'Install terminal',
    TERMINAL_DESTROY: 'Delete terminal',
    EA_INSTALL: 'Install expert',
    EA_REMOVE: 'Remove expert',
    EA_UPDATE: 'Update expert',
    EA_LOGS: 'Read log',
    SCREENSHOT: 'Screenshot',
    SCREENSHOT_LATENCY: 'Screenshot + latency',
    ACCOUNT_SERVER: 'Trading servers',
    ACCOUNT_LOGIN: 'Log in',
    ACCOUNT_LOGOUT: 'Log out',
    ACCOUNT_OPEN_DEMO: 'Open demo account',
    OPTIONS_AUTO_TRADE: 'Algo trading',
    OPTIONS_WEB_REQUEST: 'WebRequest URL',
    MARKET_WATCH_SHOW_ALL: 'Show all symbols',
  },
  statuses: {
    PENDING: 'Waiting',
    QUEUED: 'Queued',
    DELIVERED: 'Sent to host',
    RUNNING: 'Running',
    COMPLETED: 'Done',
    FAILED: 'Failed',
    CANCELED: 'Canceled',
    TERMINATED: 'Aborted',
  },
  on: 'on',
  off: 'off',
  actors: { user: 'you', agent: 'the host', service: 'the service', operator: 'the operator' },
  /** What to do about a failure, by its code. */
  advice: stepAdvice,
  /** Where a task ended without a code. */
  canceled: 'Canceled before it was sent to a host.',
  terminated: 'The outcome is unknown. Check the terminal before you run the task again.',
  /** A step as its host names it: `start_terminal`. */
  step: (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '),
  waited: 'Waiting',
  sentToHost: 'Sent to host',
  worked: 'Running',
  lostAttempt: (attempt: number) => `Attempt ${attempt}, retried`,
  timeline: (spans: string) => `Timeline: ${spans}`,
  span: (name: string, length: string) => `${name} ${length}`,
  folded: 'not to scale',
};
