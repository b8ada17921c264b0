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
  autoText: 'The switch of the terminal: off, no expert trades, whatever it is allowed.',
  isOn: 'Experts may trade.',
  isOff: 'It is off.',
  notKnown: 'Not known at the moment.',
  symbols: 'Market watch',
  symbolsText: 'Shows all symbols of the broker, so that experts find each of them.',
  showAll: 'Show all symbols',
  picturesTitle: 'Automatic pictures',
  picturesEvery: 'Take a picture by itself',
  picturesNote: 'While the terminal runs and has nothing else to do. They are tasks like those that you order.',
  every: (minutes: number) => (minutes === 0 ? 'Never' : `Every ${toInterval(minutes)}`),
  picturesSaved: (minutes: number) =>
    minutes === 0 ? 'No picture is taken by itself any more.' : `A picture is taken every ${toInterval(minutes)}.`,
  webTitle: 'Web addresses',
  webText: 'Experts may only ask addresses of the web that stand here.',
  url: 'Address',
  urlNote: 'Scheme, host and port: https://api.example.com',
  add: 'Allow',
  remove: 'Take off the list',
  known: 'As the terminal told it with the last such task:',
  notTold: 'The terminal tells its list with the first address that is added or taken off.',
  none: 'No address is allowed.',
  deleteTitle: 'Delete',
  deleteThis: 'Delete this terminal…',
};
