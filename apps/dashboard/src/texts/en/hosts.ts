/** Hosts: machines that run terminals. Only operators see them. */
export const hosts = {
  title: 'Hosts',
  total: (count: number) => (count === 1 ? '1 host' : `${count} hosts`),
  offline: (count: number) => `${count} offline`,
  list: 'Hosts',
  retiredHosts: (count: number) => (count === 1 ? '1 retired host' : `${count} retired hosts`),
  retiredList: 'Retired hosts',
  onlyOperators: 'Hosts are for operators',
  onlyOperatorsText: 'Operators manage the machines that run terminals. Your account does not have operator rights.',
  statuses: { ENROLLED: 'Never connected', ONLINE: 'Online', LOST: 'Offline', RETIRED: 'Retired' },
  lastSeen: 'Last seen',
  never: 'never',
  slots: 'Slots',
  slotsText: (used: number, slots: number) => `${used} of ${slots} used`,
  slotsBounded: (capacity: number) => `Limited by memory (configured: ${capacity})`,
  terminals: (count: number) => (count === 1 ? '1 terminal' : `${count} terminals`),
  terminalsOn: (count: number, host: string) => `${count === 1 ? '1 terminal' : `${count} terminals`} on ${host}`,
  terminalsOf: (host: string) => `Terminals on ${host}`,
  offlineText: (terminals: number) =>
    terminals === 0
      ? 'It has no terminals.'
      : `${
          terminals === 1 ? 'Its terminal' : `Its ${terminals} terminals`
        } may still be running and trading. None is started elsewhere until you retire this host.`,
  memory: 'Memory',
  disk: 'Disk',
  sizeText: (used: string, total: string) => `${used} of ${total} used`,
  regions: 'Regions',
  columns: { region: 'Region', slots: 'Slots', user: 'User', held: 'Slots', waiting: 'Waiting' },
  free: (waiting: number, free: number) => (waiting === 0 ? `${free} free` : `${waiting} waiting, ${free} free`),
  waitingAnyRegion: (count: number) =>
    count === 1
      ? '1 terminal waits for the first free slot in any region.'
      : `${count} terminals wait for the first free slot in any region.`,
  users: 'Users',
  held: (count: number) => (count === 1 ? '1 slot' : `${count} slots`),
  waiting: (count: number) => `${count} waiting`,
  allUsers: (count: number) => `Show all ${count} users`,
  limits: 'To limit the terminals of each user, set BERTH_TERMINAL_LIMITS and restart the server.',
  offers: 'Platforms',
  noOffers: 'Platforms not reported yet.',
  isolation: 'isolation',
  noIsolation: 'no isolation: a terminal can read and do anything the agent can',
  bases: 'Base images',
  noBases: 'none: create one with script/agent prepare-base',
  build: (build: number) => `build ${build}`,
  current: 'default',
  version: (version: string) => `Agent ${version}`,
  join: 'Add host',
  joinLead:
    'Creates a one-time token, valid for one hour. The host only makes outgoing connections and needs no open port.',
  name: 'Name',
  enterName: 'Enter a name.',
  nameNote: 'Display name of the machine.',
  regionField: 'Region',
  capacity: 'Slots',
  enterCapacity: 'Enter a whole number from 1 to 10,000.',
  capacityNote: 'Maximum number of terminals. Memory may limit it further.',
  runs: 'Platform',
  platforms: {
    'mt5:wine': 'MetaTrader 5 under Wine',
    'mt4:wine': 'MetaTrader 4 under Wine',
    sandbox: 'Sandbox terminals',
  },
  makeCommand: 'Generate command',
  joinReady: 'Start the agent on the host',
  joinReadyLead: 'Run this on the host, in its copy of the Berth repository. The token is shown only once.',
  joinExpires: 'The token expires at',
  command: 'Command for the host',
  docs: 'Host requirements: see docs/hosts.md.',
  networkNote:
    'Sandbox terminals need the address of the simulated broker, from the file that BERTH_SANDBOX_NETWORK names. This one is on the server’s machine. On another machine, name the file of its own broker.',
  onlyHere:
    'This address works only on the server itself. To add another machine, open this page at the address by which that machine reaches the server, and generate the command there.',
  done: 'Done',
  more: (host: string) => `More actions for ${host}`,
  retireMenu: 'Retire…',
  retire: 'Retire host',
  retireTitle: (name: string) => `Retire ${name}?`,
  retireLead: (terminals: number) =>
    `Only retire a machine that is dead or switched off: if it still runs, two terminals may trade on the same account. Its credentials are revoked, running tasks are aborted, and ${
      terminals === 1 ? 'its terminal is' : `its ${terminals} terminals are`
    } installed again on other hosts in the region that have free slots, without charts and experts. This cannot be undone.`,
  retireOnline: 'This host is still online. Stop its agent first, if you can.',
  retired: (name: string) =>
    `${name} retired. Its terminals move to other hosts in the region, or wait until a slot is free.`,
  none: 'No hosts yet',
  noneText: 'Terminals run on hosts. Add a Linux machine that can reach this server.',
};
