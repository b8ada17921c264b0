/**
 * The query keys of everything that is read, in one place: live events find stale queries by the first elements of
 * their keys. A key that starts with another one is invalidated together with it.
 */
export const keys = {
  session: ['session'],
  signInOptions: ['sign-in-options'],
  regions: ['regions'],
  capacities: ['regions', 'capacities'],
  operatorRegions: ['regions', 'operator'],
  terminals: {
    all: ['terminals'],
    /** Lists and counts: they depend on many terminals. */
    lists: ['terminals', 'lists'],
    list: (query: object) => ['terminals', 'lists', query],
    counts: (query: object) => ['terminals', 'lists', 'counts', query],
    overviews: ['terminals', 'overview'],
    overview: (ids: readonly string[]) => ['terminals', 'overview', ids],
    one: (id: string) => ['terminals', 'one', id],
    samples: (id: string, query: object) => ['terminals', 'one', id, 'samples', query],
    charts: (id: string) => ['terminals', 'one', id, 'charts'],
    why: (id: string) => ['terminals', 'one', id, 'why'],
    snapshots: (id: string) => ['terminals', 'one', id, 'snapshots'],
    /** It grows with its events: nothing else makes it stale. */
    history: (id: string) => ['terminals', 'history', id],
  },
  tasks: {
    all: ['tasks'],
    lists: ['tasks', 'lists'],
    list: (query: object) => ['tasks', 'lists', query],
    /** Everything about the tasks of one terminal. */
    ofTerminal: (terminalId: string) => ['tasks', 'of', terminalId],
    listOfTerminal: (terminalId: string, query: object) => ['tasks', 'of', terminalId, 'list', query],
    one: (terminalId: string, id: string) => ['tasks', 'of', terminalId, 'one', id],
    history: (terminalId: string, id: string) => ['tasks', 'of', terminalId, 'one', id, 'history'],
  },
  accounts: {
    one: (id: string) => ['accounts', 'one', id],
    /** By which a list is sorted: as of when it was read. */
    order: ['accounts', 'order'],
    overviews: ['accounts', 'overview'],
    overview: (query: object) => ['accounts', 'overview', query],
    history: (id: string, query: object) => ['accounts', 'history', id, query],
    dealsOf: (id: string) => ['accounts', 'deals', id],
    deals: (id: string, query: object) => ['accounts', 'deals', id, query],
  },
  risk: {
    all: ['risk'],
    rules: ['risk', 'rules'],
    states: ['risk', 'states'],
    breaches: ['risk', 'breaches'],
    evidence: (breachId: string) => ['risk', 'evidence', breachId],
  },
  bulkRuns: {
    list: ['bulk-runs', 'list'],
    one: (id: string) => ['bulk-runs', 'one', id],
    items: (id: string, query: object) => ['bulk-runs', 'items', id, query],
  },
  schedules: ['schedules'],
  stop: ['stop'],
  projects: {
    all: ['projects'],
    list: (query: object) => ['projects', 'list', query],
  },
  views: ['views'],
  notifications: {
    all: ['notifications'],
    unread: ['notifications', 'unread'],
    list: (query: object) => ['notifications', 'list', query],
    settings: ['notification-settings'],
  },
  account: {
    all: ['account'],
    profile: ['account', 'profile'],
    tokens: (query: object) => ['account', 'tokens', query],
    sessions: ['account', 'sessions'],
    files: (query: object) => ['account', 'files', query],
    experts: ['account', 'experts'],
  },
  webhooks: {
    all: ['webhooks'],
    list: ['webhooks', 'list'],
    one: (id: string) => ['webhooks', 'one', id],
    deliveries: ['webhooks', 'deliveries'],
    deliveriesOf: (id: string, query: object) => ['webhooks', 'deliveries', id, query],
    /** An event never changes. */
    event: (id: number) => ['event', id],
  },
  alerts: {
    all: ['alerts'],
    list: (query: object) => ['alerts', 'list', query],
    rules: ['alerts', 'rules'],
    channels: ['alerts', 'channels'],
  },
  allTerminals: {
    list: (query: object) => ['all-terminals', 'list', query],
    why: (id: string) => ['all-terminals', 'why', id],
  },
  users: {
    all: ['users'],
    list: (query: object) => ['users', 'list', query],
    invitations: ['users', 'invitations'],
  },
  audit: {
    list: (scope: 'own' | 'all', query: object) => ['audit', scope, query],
  },
  hosts: {
    all: ['hosts'],
    overview: ['hosts', 'overview'],
    list: (query: object) => ['hosts', 'list', query],
    terminals: (id: string, query: object) => ['hosts', 'terminals', id, query],
    samples: (id: string, query: object) => ['hosts', 'samples', id, query],
    joinTokens: (query: object) => ['hosts', 'join-tokens', query],
  },
} as const;
