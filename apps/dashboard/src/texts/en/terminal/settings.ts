/** Settings of one terminal. */

/** "5 minutes", "an hour", "a day". */
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
  nothing: 'Nothing is changed yet.',
  noName: 'It needs a name.',
  saved: 'The terminal is changed.',
  optionsTitle: 'Options of the terminal',
  switchOff: 'Switch it off',
  switchOn: 'Switch it on',
  autoText: 'While this switch is off, no expert trades, whatever its own permissions are.',
  isOn: 'Experts may trade.',
  isOff: 'It is off.',
  notKnown: 'Not known at the moment.',
  symbols: 'Market watch',
  symbolsText: 'Shows all symbols of the broker, so that experts find each of them.',
  showAll: 'Show all symbols',
  picturesTitle: 'Automatic pictures',
  picturesEvery: 'Take a picture by itself',
  picturesNote: 'Taken while the terminal runs and has nothing else to do. Each is a task like those that you order.',
  every: (minutes: number) => (minutes === 0 ? 'Never' : `Every ${toInterval(minutes)}`),
  picturesSaved: (minutes: number) =>
    minutes === 0 ? 'No picture is taken by itself any more.' : `A picture is taken every ${toInterval(minutes)}.`,
  webTitle: 'Web addresses',
  webText: 'Experts may call only the web addresses that are listed here.',
  url: 'Address',
  urlNote: 'Scheme, host and port: https://api.example.com',
  add: 'Allow',
  remove: 'Take off the list',
  known: 'The list as the terminal reported it last:',
  notTold: 'The terminal reports its list when the first address is added or taken off.',
  none: 'No address is allowed.',
  whatTitle: 'What runs here',
  platform: 'Platform',
  build: 'Build',
  host: 'Host',
  id: 'Identifier',
  noHost: 'It waits for one.',
  buildNote: 'The build changes when the terminal updates itself.',
  deleteTitle: 'Delete',
  deleteThis: 'Delete this terminal…',
};
