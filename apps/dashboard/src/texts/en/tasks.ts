import { stepAdvice } from '@berth/client';

/** One task in full, and what can be done with it. */
export const task = {
  details: 'Details',
  gone: 'Task not found',
  goneText: 'It was deleted after the retention period, or the address is wrong.',
  facts: { status: 'Status', created: 'Created', planned: 'Scheduled for', attempts: 'Attempts', id: 'ID' },
  steps: 'Steps',
  noSteps: 'Steps appear when the task finishes.',
  result: 'Result',
  screenshot: 'Screenshot from this step',
  payload: 'Payload',
  plain: 'This task has no payload.',
  history: 'History',
  by: (actor: string) => `by ${actor}`,
  attempt: (attempt: number) => `attempt ${attempt}`,
  cancel: 'Cancel',
  canceled: (title: string) => `Canceled: ${title}.`,
  whyNotCancel: {
    inProgress: 'It is already running on a host and can no longer be canceled.',
    ended: 'It has already finished.',
  },
  again: 'Run again',
  queued: (title: string) => `Queued again: ${title}.`,
  whyNotAgain: {
    secret: 'Its password is not kept in a readable form. Log in on the terminal’s page instead.',
    install: 'Terminals are installed automatically. Delete the terminal and create it again.',
    destroy: 'Delete the terminal on its own page.',
    open: 'It has not finished yet.',
  },
  demoTitle: 'Open another demo account?',
  demoLead:
    'This task opens an account at the broker. If the first attempt opened one, running it again opens a second.',
};

/** Tasks of all terminals. */
export const tasks = {
  title: 'Tasks',
  caption: 'Tasks of your terminals, newest first',
  columns: {
    task: 'Task',
    terminal: 'Terminal',
    status: 'Status',
    timeline: 'Timeline',
    created: 'Created',
    actions: 'Actions',
  },
  total: (count: number) => (count === 1 ? '1 task' : `${count} tasks`),
  filter: 'Filter by status',
  groups: { all: 'All', failed: 'Failed', open: 'In progress', done: 'Done', canceled: 'Canceled' },
  type: 'Filter by type',
  anyType: 'All types',
  project: 'Filter by project',
  anyProject: 'All projects',
  ofTerminal: (name: string) => `Only ${name}`,
  oneTerminal: 'one terminal',
  everyTerminal: 'Show tasks of all terminals',
  needsAttention: 'Needs attention',
  needsAttentionLead: 'Failed in the last two days',
  allFailed: 'View all failed',
  none: 'No tasks yet',
  noneText: 'Task history appears here: installations, logins, screenshots, experts.',
  noMatch: 'No matching tasks',
  noMatchText: 'Change the filters, or clear them.',
  clear: 'Clear filters',
  toTerminal: 'Open terminal',
  onlyThis: 'Show only tasks of this terminal',
};

/** Tasks as words: their types, statuses and steps, and what to do when one failed. */

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
