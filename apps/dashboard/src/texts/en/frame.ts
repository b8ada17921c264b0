/** The frame around the pages of somebody who is signed in, and what several of those pages say. */
/** Notifications by their type; `name` is that of the terminal, task, token or host. */
const notifications = {
  unnamed: '(unnamed)',
  /** After the sentence of the newest one. */
  andOthers: (sentence: string, others: number) =>
    `${sentence.replace(/\.$/, '')} (and ${others === 1 ? '1 more' : `${others} more`}).`,
  times: (count: number) => ` (${count} times)`,
  /** What went well is counted. */
  many: {
    'App\\Notifications\\TerminalReady': (count: number) => `${count} terminals are ready.`,
    'App\\Notifications\\TerminalDestroyed': (count: number) => `${count} terminals were deleted.`,
    'App\\Notifications\\AlertResolved': (count: number) => `${count} alerts are over.`,
  } as Partial<Record<string, (count: number) => string>>,
  kinds: {
    'App\\Notifications\\TerminalReady': (name: string) => `${name} is ready.`,
    'App\\Notifications\\TerminalFailed': (name: string) => `${name} could not be installed.`,
    'App\\Notifications\\TerminalLoginFailed': (name: string) => `${name} could not log in to the broker.`,
    'App\\Notifications\\TerminalDisconnected': (name: string) => `${name} disconnected from the broker.`,
    'App\\Notifications\\TerminalCrashed': (name: string) => `${name} stopped unexpectedly. It is started again.`,
    'App\\Notifications\\TerminalDestroyed': (name: string) => `${name} was deleted.`,
    'App\\Notifications\\TaskFailed': (name: string) => `Task failed: ${name}.`,
    'App\\Notifications\\TokenCreated': (name: string) => `API token created: ${name}.`,
    'App\\Notifications\\PasswordChanged': () => 'Your password was changed.',
    'App\\Notifications\\HostLost': (name: string) => `Host ${name} is offline.`,
    'App\\Notifications\\BackupFailed': () => 'A scheduled backup failed.',
    'App\\Notifications\\AlertOpened': (name: string) => `Alert: ${name}.`,
    'App\\Notifications\\AlertResolved': (name: string) => `Over: ${name}.`,
    'App\\Notifications\\RiskBreached': (name: string) => `A risk limit was reached on ${name}.`,
    'App\\Notifications\\WebhookDisabled': () => 'A webhook was disabled because its endpoint failed.',
  },
};

/** Statuses as words: what a person says, not what the API calls it. */
const terminalStatuses = {
  PENDING: 'Waiting for a host',
  INSTALLING: 'Installing',
  CONNECTING: 'Connecting',
  ACTIVE: 'Active',
  DISCONNECTED: 'Disconnected',
  STOPPED: 'Stopped',
  LOGIN_FAILED: 'Login failed',
  FAILED: 'Installation failed',
  DESTROYING: 'Deleting',
  DESTROYED: 'Deleted',
  UNREACHABLE: 'Host offline',
};

/** Instead of “Login failed”, where the terminal has no address for the trading server. */
const serverUnknown = 'Server unknown';
/** Instead of “Stopped”, where it has no account to start with. */
const loggedOut = 'Logged out';

export const frame = {
  figures: { notMeasured: 'no data' },
  timesIn: (zone: string) => `Times in ${zone}`,
  confirm: {
    type: (name: string) => `Type ${name} to confirm`,
    whyNot: 'Type the name exactly as shown above.',
  },
  pager: {
    pages: 'Pages',
    page: (page: number, last: number) => `Page ${page} of ${last}`,
    previous: 'Previous',
    next: 'Next',
    last: 'Last page',
    range: (from: number, to: number, total: number, isExact: boolean) =>
      `${from.toLocaleString()}–${to.toLocaleString()} of ${total.toLocaleString()}${isExact ? '' : '+'}`,
    perPage: 'Rows per page',
    rows: (count: number) => `${count} per page`,
    firstPage: 'You are on the first page.',
    lastPage: 'You are on the last page.',
  },
  sameAccount: { before: 'Same account as', after: ': experts trade twice' },
  notifications,
  terminalStatuses,
  serverUnknown,
  restarting: 'Restarting',
  loggedOut,
  skip: 'Skip to content',
  main: 'Main',
  pages: {
    terminals: 'Terminals',
    tasks: 'Tasks',
    alerts: 'Alerts',
    risk: 'Risk',
    projects: 'Projects',
    users: 'Users',
    overview: 'Overview',
    allTerminals: 'All terminals',
    hosts: 'Hosts',
    audit: 'Audit log',
    account: 'Account',
  },
  morePages: 'More',
  openAlerts: (count: string, isOne: boolean) => `${count} open ${isOne ? 'alert' : 'alerts'}`,
  links: { connecting: 'Connecting…', live: 'Live', lost: 'Reconnecting…', away: 'Offline' },
  noContactSince: (at: string) => `No contact since ${at}. Everything below is from then.`,
  noUpdatesSince: (at: string) => `No live updates since ${at}. What is below may have changed.`,
  theme: 'Theme',
  themes: { light: 'Light', dark: 'Dark', system: 'System' },
  /** The palette finds them by these words, too. */
  themeWords: 'appearance colours colors mode day night settings',
  userMenu: (name: string) => `Your account: ${name}`,
  signOut: 'Sign out',
  signOutWords: 'log out logout exit',
  documentation: 'API docs',
  documentationWords: 'documentation api help manual reference',
  password: {
    title: 'Enter your password',
    lead: 'What you are about to do needs it again. You are not asked again for ten minutes.',
    label: 'Password',
    enter: 'Enter your password.',
    confirm: 'Continue',
  },
  help: 'Keyboard shortcuts',
  helpWords: 'help keys shortcuts',
  accountTabs: [
    { tab: 'profile', name: 'Account: Profile', words: 'settings name e-mail preferences' },
    { tab: 'password', name: 'Account: Password', words: 'settings change password' },
    { tab: 'sessions', name: 'Account: Sessions', words: 'settings devices browsers' },
    { tab: 'tokens', name: 'Account: API tokens', words: 'settings api key token' },
    { tab: 'files', name: 'Account: Files', words: 'settings upload storage' },
  ] as const,
  bell: (urgent: string) =>
    urgent === '0'
      ? 'Notifications, none needs attention'
      : `Notifications, ${urgent} ${urgent === '1' ? 'needs' : 'need'} attention`,
  many: '99+',
  noNews: 'You’re all caught up.',
  nothingUnread: 'No unread notifications.',
  markAllRead: 'Mark all as read',
  allNotifications: 'All notifications',
  markedRead: (count: number) => `${count} ${count === 1 ? 'notification' : 'notifications'} marked as read.`,
  palette: 'Commands',
  paletteHint: 'Search or run a command…',
  paletteNone: 'No results. Try a shorter word.',
  goTo: (page: string) => `Go to ${page}`,
  goToTerminal: (name: string) => `Terminal: ${name}`,
};

/** Secrets to be copied. */
export const secret = {
  copy: 'Copy',
  copied: 'Copied.',
  selected: 'Selected. Press Ctrl+C (⌘C on a Mac) to copy it.',
};

/** Through a list that grows at its beginning. */
export const steps = {
  newest: 'Newest',
  older: 'Older',
  isNewest: 'This is the beginning of the list.',
  isOldest: 'This is the end of the list.',
};
