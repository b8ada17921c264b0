/** English: what every page needs, including signing in. It is part of the first load; the rest is in `pages.ts`. */
import { frame } from './frame.ts';
import { signIn } from './sign-in.ts';

/** Notifications by their type; `name` is that of the terminal, task, token or host. */
const notifications = {
  unnamed: '(unnamed)',
  /** After the sentence of the newest one. */
  andOthers: (sentence: string, others: number) =>
    `${sentence.replace(/\.$/, '')} (and ${others === 1 ? '1 more' : `${others} more`}).`,
  times: (count: number) => ` (${count} times)`,
  kinds: {
    'App\\Notifications\\TerminalReady': (name: string) => `${name} is ready.`,
    'App\\Notifications\\TerminalFailed': (name: string) => `${name} could not be installed.`,
    'App\\Notifications\\TerminalLoginFailed': (name: string) => `${name} could not log in to the broker.`,
    'App\\Notifications\\TerminalDisconnected': (name: string) => `${name} disconnected from the broker.`,
    'App\\Notifications\\TerminalDestroyed': (name: string) => `${name} was deleted.`,
    'App\\Notifications\\TaskFailed': (name: string) => `Task failed: ${name}.`,
    'App\\Notifications\\TokenCreated': (name: string) => `API token created: ${name}.`,
    'App\\Notifications\\PasswordChanged': () => 'Your password was changed.',
    'App\\Notifications\\HostLost': (name: string) => `Host ${name} is offline.`,
  },
};

/** Statuses as words: what a person says, not what the API calls it. */
const terminalStatuses = {
  PENDING: 'Waiting for a host',
  INSTALLING: 'Installing',
  CONNECTING: 'Connecting',
  ACTIVE: 'Active',
  DISCONNECTED: 'Disconnected',
  STOPPED: 'Logged out',
  LOGIN_FAILED: 'Login failed',
  FAILED: 'Installation failed',
  DESTROYING: 'Deleting',
  DESTROYED: 'Deleted',
  UNREACHABLE: 'Host offline',
};

/** Instead of “Login failed”, where the terminal has no address for the trading server. */
const serverUnknown = 'Server unknown';

export const en = {
  /** For dates and numbers; undefined: the browser's own. */
  locale: undefined as string | undefined,
  product: 'Berth',
  pageTitle: (page: string) => `${page} · Berth`,
  loading: 'Loading…',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  tryAgain: 'Try again',
  dismiss: 'Dismiss',
  copied: 'Copied to clipboard.',
  notCopied: 'Your browser blocked copying. Select the text and copy it yourself.',
  limited: 'Too many requests, retrying',
  limitedFor: (seconds: number) => `in ${seconds} s`,
  limitedNow: 'now',
  notices: 'Messages',
  requestId: (id: string) => `Request ${id}`,
  errors: {
    unreached: 'Couldn’t reach the server. Check your connection and try again.',
    late: 'The server took too long to respond. Try again.',
    strange: 'Something other than the server answered, such as a proxy. Check your connection and try again.',
    unexpected:
      'Something went wrong on this page. Reload it. If it happens again, tell your administrator what you did.',
  },
  time: {
    justNow: 'now',
    seconds: (count: number) => `${count} s`,
    minutes: (count: number) => `${count} min`,
    hours: (count: number) => `${count} h`,
    days: (count: number) => `${count} d`,
    ago: (span: string) => `${span} ago`,
    unknown: 'unknown',
  },
  figures: { notMeasured: 'no data' },
  confirm: {
    type: (name: string) => `Type ${name} to confirm`,
    whyNot: 'Type the name exactly as shown above.',
  },
  pager: {
    pages: 'Pages',
    page: (page: number, last: number) => `Page ${page} of ${last}`,
    previous: 'Previous',
    next: 'Next',
    firstPage: 'You are on the first page.',
    lastPage: 'You are on the last page.',
  },
  frame,
  notifications,
  signIn,
  terminalStatuses,
  serverUnknown,
};
