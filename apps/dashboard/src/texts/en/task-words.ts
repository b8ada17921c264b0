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
    SCREENSHOT: 'Picture',
    SCREENSHOT_LATENCY: 'Picture with latency',
    ACCOUNT_SERVER: 'Server list',
    ACCOUNT_LOGIN: 'Log in',
    ACCOUNT_LOGOUT: 'Log out',
    ACCOUNT_OPEN_DEMO: 'Open demo account',
    OPTIONS_AUTO_TRADE: 'Auto trading',
    OPTIONS_WEB_REQUEST: 'Web address',
    MARKET_WATCH_SHOW_ALL: 'Show all symbols',
  },
  statuses: {
    PENDING: 'Waiting',
    QUEUED: 'Queued',
    DELIVERED: 'Handed over',
    RUNNING: 'Running',
    COMPLETED: 'Done',
    FAILED: 'Failed',
    CANCELED: 'Canceled',
    TERMINATED: 'Given up',
  },
  on: 'on',
  off: 'off',
  actors: { user: 'you', agent: 'the host', service: 'the service', operator: 'the operator' },
  /** What to do about a failure, by its code. */
  advice: stepAdvice,
  /** Where a task ended without a code. */
  canceled: 'Canceled before a host had it.',
  terminated: 'Nobody knows how far it came. Look at the terminal before you run it again.',
  /** A step as its host names it: `start_terminal`. */
  step: (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '),
  waited: 'Waited',
  handedOver: 'Handed to the host',
  worked: 'Carried out',
  lostAttempt: (attempt: number) => `Attempt ${attempt}, to be repeated`,
  timeline: (spans: string) => `What took how long: ${spans}`,
  span: (name: string, length: string) => `${name} ${length}`,
  folded: 'shortened in the picture',
};
