/** Why a terminal is not running, and the terminals of all users. The answers themselves are the server's. */
export const why = {
  title: 'Why is it not running?',
  since: 'Since',
  next: 'Next step:',
  checks: {
    registration: 'Account',
    plan: 'Plan',
    region: 'Region',
    place: 'Slot',
    host: 'Host',
    box: 'Program',
    task: 'Task',
    journal: 'Last attempt',
    login: 'Login',
    link: 'Connection',
    experts: 'Experts',
  },
  chain: 'What was checked, in order',
  states: { true: 'OK', false: 'Wrong' },
  password: 'Password',
  passwordFor: (login: string, server: string) => `Of ${login} on ${server}. Encrypted, and never shown again.`,
  enterPassword: 'Enter the password of the trading account.',
  logIn: 'Log in',
  start: 'Start',
} as const;

const of = (count: string, isOne: boolean): string => (isOne ? '1 terminal' : `${count} terminals`);

export const allTerminals = {
  title: 'All terminals',
  onlyOperators: 'Only operators see all terminals',
  onlyOperatorsText: 'Ask your administrator.',
  caption: 'Terminals of all users, newest first',
  total: (count: number, isExact: boolean) =>
    isExact ? of(count.toLocaleString(), count === 1) : `more than ${of(count.toLocaleString(), false)}`,
  search: 'Search name, login, user',
  status: 'Status',
  groups: { all: 'All', notRunning: 'Not running', waiting: 'Waiting', failed: 'Failed' },
  ofUser: (name: string) => `User: ${name}`,
  ofHost: (name: string) => `Host: ${name}`,
  one: 'chosen one',
  everyUser: 'Show all users',
  everyHost: 'Show all hosts',
  columns: { terminal: 'Terminal', user: 'User', status: 'Status', host: 'Host', since: 'Since', actions: 'Actions' },
  queuePlace: (place: number) => `no. ${place} in the queue`,
  noHost: 'none',
  why: 'Why?',
  whyOf: (name: string) => `Why is ${name} not running?`,
  noMatch: 'No matching terminals',
  noMatchText: 'No terminal matches the search and the filters.',
  clear: 'Show all terminals',
} as const;
