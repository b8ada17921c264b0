/**
 * The query keys of everything that is read, in one place: live events find stale queries by the first elements of
 * their keys. A key that starts with another one is invalidated together with it.
 */
export const keys = {
  session: ['session'],
  signInOptions: ['sign-in-options'],
  regions: ['regions'],
  capacities: ['regions', 'capacities'],
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
  bulkRuns: {
    list: ['bulk-runs', 'list'],
    items: (id: string, query: object) => ['bulk-runs', 'items', id, query],
  },
  projects: {
    all: ['projects'],
    list: (query: object) => ['projects', 'list', query],
  },
  notifications: {
    all: ['notifications'],
    unread: ['notifications', 'unread'],
    list: (query: object) => ['notifications', 'list', query],
  },
  account: {
    all: ['account'],
    profile: ['account', 'profile'],
    tokens: (query: object) => ['account', 'tokens', query],
    sessions: ['account', 'sessions'],
    files: (query: object) => ['account', 'files', query],
  },
  hosts: {
    all: ['hosts'],
    list: (query: object) => ['hosts', 'list', query],
    terminals: (id: string, query: object) => ['hosts', 'terminals', id, query],
  },
} as const;
