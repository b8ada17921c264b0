/** Settings of one terminal. */
import { MAX_NOTES_CHARACTERS, MAX_TAG_CHARACTERS, MAX_TAGS } from '@berth/contract/values';

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
  labelsTitle: 'Tags and notes',
  tags: 'Tags',
  tagsNote: 'Separated by commas. The list of terminals can be filtered by them.',
  notes: 'Notes',
  externalId: 'External ID',
  externalIdNote: 'What a program of yours calls it.',
  nothing: 'No changes to save.',
  /** What to enter into a field that is wrong. */
  wrong: {
    name: 'Enter a name.',
    project_id: 'Choose a project.',
    tags: `Enter up to ${MAX_TAGS} tags of up to ${MAX_TAG_CHARACTERS} characters.`,
    notes: `Enter up to ${MAX_NOTES_CHARACTERS.toLocaleString()} characters.`,
    external_id: 'Enter an ID that no other terminal of yours has.',
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
  snapshotsTitle: 'Snapshots',
  snapshotsText:
    'What tasks have set up here: experts, inputs, web requests, trading servers. One is taken after each change; the newest 10 are kept.',
  snapshotsNone: 'None yet. The first one is taken when an expert is installed.',
  snapshot: (charts: number, experts: number) =>
    `${charts === 1 ? '1 chart' : `${charts} charts`}, ${experts === 1 ? '1 expert' : `${experts} experts`}`,
  snapshotCauses: { change: 'after a change', manual: 'taken by you' },
  incomplete: 'more was set up than fits',
  takeSnapshot: 'Take snapshot',
  snapshotTaken: 'Snapshot taken.',
  createFrom: 'Create terminal',
  deleteSnapshot: 'Delete snapshot',
  snapshotDeleted: 'Snapshot deleted.',
  move: {
    title: 'Move',
    text: 'To another host, in this region or another one. It does not trade until it is set up there.',
    open: 'Move…',
    isMoving: 'The terminal is being moved already.',
    dialogTitle: 'Move terminal',
    lead: 'The terminal never runs on two hosts, and is never lost.',
    steps: [
      'It is stopped here. Open positions stay open, and no expert watches them.',
      'It is installed on the new host and logs in with its stored password. Experts and options are set up again.',
      'Algo trading is turned on if it was on and everything succeeded.',
      'If anything fails, the terminal goes back and starts as it was.',
    ],
    notMoved: 'Not moved: what was set up in the terminal’s own window, and its logs.',
    region: 'To',
    choose: 'Choose a region',
    same: (region: string) => `${region}, another host`,
    closed: (region: string) => `${region}: closed to new terminals`,
    noHosts: (region: string) => `${region}: no hosts yet`,
    noSlot: (region: string) => `${region}: no free slot`,
    enterRegion: 'Choose a region.',
    host: 'Host',
    anyHost: 'Any with a free slot',
    verb: 'Move terminal',
    begun: (name: string) => `${name} is being moved.`,
  },
  deleteTitle: 'Delete',
  deleteThis: 'Delete this terminal…',
};
