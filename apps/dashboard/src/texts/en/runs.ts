/** Operations on many terminals at once, and their results. */
const terminals = (count: number): string => `${count.toLocaleString()} ${count === 1 ? 'terminal' : 'terminals'}`;

const onAll = (count: number): string => (count === 2 ? 'on both terminals' : `on all ${terminals(count)}`);

export const runs = {
  titles: {
    TERMINAL_INSTALL: 'Install terminals',
    TERMINAL_DESTROY: 'Delete terminals',
    EA_INSTALL: 'Install expert',
    EA_REMOVE: 'Remove expert',
    EA_UPDATE: 'Update expert',
    EA_LOGS: 'Read logs',
    SCREENSHOT: 'Take screenshots',
    SCREENSHOT_LATENCY: 'Take screenshots with latency',
    ACCOUNT_SERVER: 'Save servers',
    ACCOUNT_LOGIN: 'Log in',
    ACCOUNT_LOGOUT: 'Log out',
    ACCOUNT_OPEN_DEMO: 'Open demo accounts',
    OPTIONS_AUTO_TRADE: 'Algo trading',
    OPTIONS_WEB_REQUEST: 'Allow WebRequest URL',
    MARKET_WATCH_SHOW_ALL: 'Show all symbols',
    CLOSE_ALL: 'Close all positions',
    TERMINAL_RESTART: 'Restart terminals',
    TERMINAL_STOP: 'Stop terminals',
    TERMINAL_START: 'Start terminals',
  },
  on: 'Algo trading on',
  off: 'Algo trading off',
  tray: 'Bulk actions in progress',
  sending: 'Sending…',
  unreached: 'No answer from the server, retrying',
  show: 'Show',
  dismiss: (title: string) => `Dismiss: ${title}`,
  progress: (title: string) => `Progress: ${title}`,
  results: 'Results',
  done: (done: number, total: number) => `Done on ${done.toLocaleString()} of ${terminals(total)}.`,
  allDone: (total: number) => (total === 1 ? 'Done.' : `Done ${onAll(total)}.`),
  /** Where a mistake costs money: what hosts confirmed, and what may still be so where they did not. */
  confirmed: {
    off: { verb: 'Confirmed off', done: 'Off', doubt: ['it may still trade', 'they may still trade'] },
    closed: {
      verb: 'Confirmed closed',
      done: 'Closed',
      doubt: ['it may still have positions', 'they may still have positions'],
    },
    stopped: { verb: 'Confirmed stopped', done: 'Stopped', doubt: ['it may still run', 'they may still run'] },
  },
  notConfirmed: 'Not confirmed',
  confirmedOnAll: (verb: string, total: number) => (total === 1 ? `${verb}.` : `${verb} ${onAll(total)}.`),
  confirmedOn: (verb: string, done: number, total: number) =>
    `${verb} on ${done.toLocaleString()} of ${terminals(total)}.`,
  confirmedNotOn: (verb: string, done: number, not: number, [one, many]: readonly string[]) =>
    `${verb} on ${done.toLocaleString()}, not on ${not.toLocaleString()}: ${not === 1 ? one : many}.`,
  failed: (count: number) => `${count.toLocaleString()} failed`,
  skipped: (count: number) => `${count.toLocaleString()} skipped`,
  canceled: (count: number) => `${count.toLocaleString()} canceled`,
  ended: (title: string, sentence: string) => `${title}: ${sentence}`,
  openTerminal: 'Open terminal',
  states: {
    failed: 'Failed',
    skipped: 'Skipped',
    canceled: 'Canceled',
    in_progress: 'In progress',
    pending: 'Waiting',
    succeeded: 'Done',
  },
  noTerminal: 'Deleted terminal',
  notOver: 'Still in progress. You can dismiss it when it has finished.',
  retry: (count: number) =>
    count === 1 ? 'Run again on the failed one' : `Run again on ${count.toLocaleString()} failed`,
  cancel: 'Cancel remaining',
  isCanceled: 'Already canceled. Tasks that a host is working on will finish.',
  goesOn: 'Runs on the server. You can close this window or the page.',
};
