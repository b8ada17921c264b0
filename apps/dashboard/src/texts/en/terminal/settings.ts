/** Settings of one terminal. */

/** "5 minutes", "hour", "day": what follows "every". */
const toInterval = (minutes: number): string => {
  if (minutes === 1) return 'minute';
  if (minutes === 60) return 'hour';
  if (minutes === 1440) return 'day';
  return minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`;
};

export const terminalSettings = {
  ownTitle: 'Name and project',
  name: 'Name',
  project: 'Project',
  nothing: 'No changes to save.',
  /** What to enter into a field that is wrong. */
  wrong: {
    name: 'Enter a name.',
    project_id: 'Choose a project.',
    url: 'Enter a URL with scheme, host and port only, e.g. https://api.example.com.',
  },
  saved: 'Changes saved.',
  optionsTitle: 'Terminal options',
  switchOff: 'Turn off',
  switchOn: 'Turn on',
  autoText: 'While algo trading is off, no expert can trade, whatever its own permissions.',
  notKnown: 'Unknown at the moment.',
  symbolsText: 'Adds all of the broker’s symbols to Market Watch, so that experts can find them.',
  showAll: 'Show all symbols',
  screenshotsTitle: 'Automatic screenshots',
  screenshotsEvery: 'Take screenshots',
  screenshotsNote: 'Taken while the terminal is running and idle. Each one is a task, like those you start yourself.',
  every: (minutes: number) => (minutes === 0 ? 'Never' : `Every ${toInterval(minutes)}`),
  screenshotsSaved: (minutes: number) =>
    minutes === 0 ? 'Automatic screenshots turned off.' : `Screenshots are taken every ${toInterval(minutes)}.`,
  webTitle: 'Allowed WebRequest URLs',
  webText: 'Experts can only call the URLs listed here.',
  url: 'URL',
  urlNote: 'Scheme, host and port, e.g. https://api.example.com',
  add: 'Allow',
  remove: 'Remove',
  known: 'As last reported by the terminal:',
  notReported: 'The list appears after you first add or remove a URL.',
  none: 'No URLs allowed.',
  aboutTitle: 'About',
  platform: 'Platform',
  build: 'Build',
  host: 'Host',
  id: 'ID',
  noHost: 'Waiting for a host',
  buildNote: 'The build changes when the terminal updates itself.',
  deleteTitle: 'Delete',
  deleteThis: 'Delete this terminal…',
};
