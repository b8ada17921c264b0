/** What happened to one terminal. A sentence is in three parts, of which the middle one says it. */
import { isolate } from '../../isolate.ts';

type Sentence = readonly [before: string, bold: string, after: string];

const toCrash = ({ code, signal }: { code: number | null; signal: string | null }): Sentence => {
  if (signal !== null) return ['', 'Crashed', ` (${signal}). Restarting.`];
  return code === null
    ? ['', 'Stopped unexpectedly', '. Restarting.']
    : ['', 'Crashed', ` with exit code ${code}. Restarting.`];
};

export const terminalHistory = {
  note: (zone: string) => `Kept for 30 days. Times in ${zone}.`,
  today: 'Today',
  label: (day: string) => `What happened: ${day}`,
  empty: 'Nothing in the last 30 days',
  emptyText: 'Changes of status, crashes, failed experts and finished tasks of this terminal are listed here.',
  more: 'Show older entries',
  end: 'There are no older entries.',
  cut: (count: number) =>
    `The newest ${count.toLocaleString()} entries are shown. Programs can read the others from the log of events.`,
  task: 'Details',
  breach: 'What was done',
  times: (count: number) => `${count.toLocaleString()} times`,
  skipped: (count: number) =>
    count === 1
      ? 'One change before this one was not recorded.'
      : `${count.toLocaleString()} changes before this one were not recorded.`,
  crash: toCrash,
  created: ['', 'Created', '.'] as Sentence,
  states: {
    PENDING: ['', 'Waiting', ' for a host with a free slot.'],
    INSTALLING: ['', 'Installing', ' on its host.'],
    CONNECTING: ['', 'Connecting', ' to the broker.'],
    ACTIVE: ['', 'Active', ', connected to the broker.'],
    DISCONNECTED: ['', 'Disconnected', ' from the broker.'],
    RESTARTING: toCrash({ code: null, signal: null }),
    STOPPED: ['', 'Stopped', '.'],
    LOGGED_OUT: ['', 'Logged out', '.'],
    LOGIN_FAILED: ['', 'Login refused', ' by the trading server.'],
    SERVER_UNKNOWN: ['', 'Trading server unknown', '.'],
    FAILED: ['', 'Installation failed', '.'],
    DESTROYING: ['', 'Deleting', '.'],
    DESTROYED: ['', 'Deleted', '.'],
    UNREACHABLE: ['', 'Host offline', '.'],
  } satisfies Record<string, Sentence>,
  otherAccount: (login: string, server: string): Sentence => [
    'Logged in to another account: ',
    isolate(login),
    ` on ${isolate(server)}.`,
  ],
  updated: (from: number | null, to: number): Sentence => [
    from === null ? 'Runs build ' : `Updated from build ${from} to `,
    String(to),
    '.',
  ],
  by: { task: ' by a task', rule: (name: string) => ` by the risk rule ${isolate(name)}`, unknown: '' },
  turnedOff: (by: string): Sentence => ['Algo trading was turned ', 'off', `${by}.`],
  turnedOn: (by: string): Sentence => ['Algo trading was turned ', 'on', `${by}.`],
  canTrade: ['Algo trading is ', 'on', ': experts can trade.'] as Sentence,
  cannotTrade: (why: string): Sentence => ['Experts ', 'can’t trade', `: ${why}`],
  expertFailed: (name: string, chart: string): Sentence => [
    `Expert ${isolate(name)} `,
    'failed',
    ` on ${isolate(chart)}.`,
  ],
  tasks: {
    COMPLETED: (name: string): Sentence => [`${name}: `, 'done', '.'],
    FAILED: (name: string): Sentence => [`${name}: `, 'failed', '.'],
    CANCELED: (name: string): Sentence => [`${name}: `, 'canceled', '.'],
    TERMINATED: (name: string): Sentence => [`${name}: `, 'outcome unknown', '.'],
  },
  risk: {
    near_limit: (rule: string): Sentence => [`Risk rule ${isolate(rule)} is `, 'near its limit', '.'],
    touched: (rule: string): Sentence => [`Risk rule ${isolate(rule)} `, 'touched its limit', ', too shortly to act.'],
    blind: (rule: string): Sentence => [`Risk rule ${isolate(rule)} `, 'can’t watch', ' this terminal.'],
    sees_again: (rule: string): Sentence => [`Risk rule ${isolate(rule)} `, 'watches again', '.'],
    breached: (rule: string, value: string, limit: string): Sentence => [
      `Risk rule ${isolate(rule)} `,
      'reached its limit',
      `: ${value} of ${limit}.`,
    ],
  },
  unlocked: ['', 'Unlocked', '.'] as Sentence,
};
