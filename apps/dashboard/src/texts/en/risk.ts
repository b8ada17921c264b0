/** The page Risk: rules, how far each is from its limit, breaches. */
const of = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

const kinds = {
  daily_loss: 'Daily loss',
  max_drawdown: 'Drawdown from the start',
  trailing_drawdown: 'Trailing drawdown',
  equity_floor: 'Equity floor',
  profit_target: 'Profit target',
  max_volume: 'Open lots',
  max_positions: 'Open positions',
};

export const highs = {
  equity: 'the highest equity',
  balance: 'the highest balance',
  day_end_balance: 'the highest balance at the end of a day',
} as const;
const bases = { balance: 'balance', equity: 'equity', higher: 'the higher of balance and equity' };

export const risk = {
  title: 'Risk',
  tabs: { rules: 'Rules', breaches: 'Breaches' },
  tabsLabel: 'Risk sections',
  words: 'guard limits daily loss drawdown',
  lead: (rules: number) =>
    rules === 0
      ? 'Rules act on the hosts, also while the server is away.'
      : `${of(rules, 'rule is', 'rules are')} on. They act on the hosts, also while the server is away.`,
  create: 'Create rule',
  kinds,
  /** What a rule does, in a sentence. `limit` is "3%" or "250.00". */
  sentences: {
    daily_loss: (what: string, limit: string, basis: keyof typeof bases, starts: string, zone: string) =>
      `When ${what} is ${limit} below the day’s start, which counts ${bases[basis]}. Days begin at ${starts}, ${zone}.`,
    max_drawdown: (what: string, limit: string, basis: keyof typeof bases) =>
      `When ${what} is ${limit} below the initial balance. Where that isn’t known, where the rule began counts, by ${bases[basis]}.`,
    trailing_drawdown: (what: string, limit: string, trail: keyof typeof highs) =>
      `When ${what} is ${limit} below ${highs[trail]}.`,
    equity_floor: (what: string, limit: string) => `When ${what} is ${limit} or less, whatever the day.`,
    profit_target: (what: string, limit: string, basis: keyof typeof bases) =>
      `When ${what} is ${limit} above the initial balance. Where that isn’t known, where the rule began counts, by ${bases[basis]}.`,
    max_volume: (limit: string) => `When more than ${limit} lots are open at the same time.`,
    max_positions: (limit: string) => `When more than ${limit} positions are open at the same time.`,
  },
  /** What a sentence says besides. */
  measures: { equity: 'equity', balance: 'the balance', closed: 'nothing is open and the balance' },
  ofInitial: (percent: string) => `${percent} of the initial balance`,
  besides: {
    dayTrail: (trail: 'equity' | 'balance') => `Within a day, the limit follows ${highs[trail]}.`,
    stopsAt: (amount: string) => `The limit rises up to ${amount} and stays there.`,
    stopsAbove: (amount: string) => `The limit rises up to ${amount} above the initial balance and stays there.`,
    stopsAtInitial: 'The limit rises up to the initial balance and stays there.',
    buffer: (amount: string) => `It acts ${amount} earlier.`,
    confirm: (seconds: number) => `It acts once that has lasted ${of(seconds, 'second', 'seconds')}.`,
    days: (starts: string, zone: string) => `Days begin at ${starts}, ${zone}.`,
    lockEnds: (starts: string, zone: string) => `The lock ends by itself at ${starts}, ${zone}.`,
    cash: 'Deposits and withdrawals don’t move it.',
    currency: (currency: string) => `Only for accounts in ${currency}.`,
  },
  scope: {
    all: 'all terminals',
    project: (name: string) => `project ${name}`,
    terminals: (count: number) => of(count, 'terminal', 'terminals'),
  },
  actions: {
    close_all: 'Close all',
    trading_off: 'Algo trading off',
    lock: 'Lock',
    notify: 'Notify',
  },
  /** What it does then, as the end of a sentence. */
  does: {
    close_all: 'closes everything',
    trading_off: 'turns algo trading off',
    lock: 'locks the terminal',
    notify: 'notifies you',
  },
  doesThen: (parts: readonly string[]) =>
    parts.length === 0
      ? ''
      : `Then it ${parts.length === 1 ? '' : `${parts.slice(0, -1).join(', ')} and `}${parts.at(-1) ?? ''}.`,
  on: 'On',
  off: 'Off',
  switch: (name: string) => `${name}: on`,
  switchedOn: (name: string) => `${name} is on.`,
  switchedOff: (name: string) => `${name} is off: it doesn’t watch any more.`,
  edit: 'Edit…',
  editOf: (name: string) => `Edit ${name}`,
  notWatched: 'Off: nothing is watched',
  noStates: 'No terminal has reported yet',
  dots: {
    label: (count: number) => `Where ${of(count, 'terminal is', 'terminals are')} on the way to the limit`,
    start: '0%',
    warns: 'warns',
    limit: 'limit',
    target: 'target',
    breached: (count: number) => `${count} at the limit`,
    near: (count: number) => `${count} near`,
    blind: (count: number) => `${count} not watched`,
    nearest: (name: string, percent: string) => `Nearest: ${name}, ${percent}`,
  },
  headroom: {
    left: (amount: string) => `${amount} left`,
    toGo: (amount: string) => `${amount} to go`,
    reached: 'limit reached',
    targetReached: 'target reached',
    notWatched: 'not watched',
    notSeen: 'no figures yet',
    used: (used: string, limit: string) => `${used} of ${limit}`,
    meter: (name: string) => `${name}: used of the limit`,
  },
  closest: { title: 'Closest to a limit', none: 'No figures yet.' },
  unguarded: {
    title: 'Without a rule',
    none: 'Every terminal has a rule.',
    text: (count: number, names: string) => `${of(count, 'terminal has', 'terminals have')} no rule: ${names}.`,
    more: (names: string, more: number) => `${names} and ${more.toLocaleString()} more`,
    add: 'Create a rule for them…',
  },
  blind: {
    title: (count: number) => `${of(count, 'terminal is', 'terminals are')} not watched.`,
    starting: (count: number) =>
      `${of(count, 'terminal is', 'terminals are')} about to be watched: ${count === 1 ? 'its host is' : 'their hosts are'} being told. Until then nothing is closed at a limit.`,
    names: (names: string) => `The guard can’t see ${names}.`,
    reasons: {
      no_numbers: 'it has no account data yet',
      old_numbers: 'its figures are older than 15 seconds',
      other_account: 'it is logged in to another account',
      not_synchronised: 'it has not loaded everything from the trading server yet',
      other_currency: 'its account has another currency than the rule',
      unlisted_positions: 'more positions are open than it can list',
      agent_too_old: 'the agent is too old for this rule: upgrade it',
      not_reported: 'its host has not reported',
    },
    text: 'Rules act again as soon as the figures are current. Until then nothing is closed at a limit.',
  },
  cannotAct: {
    title: (count: number) => `Rules can’t close anything at ${of(count, 'terminal', 'terminals')}.`,
    reasons: {
      password: 'its password only reads (an investor password), or the account is closed for trading',
      broker: 'its broker takes no orders from programs',
      expert: 'Berth’s program may not trade there',
      terminal: 'algo trading is off',
      unknown: 'its terminal does not say why',
    },
    text: 'They see the account, but their orders would be refused.',
  },
  empty: {
    title: 'No rules yet',
    text: 'A rule closes positions, turns algo trading off or locks a terminal by itself when a limit is reached. Its host does that, even while the server is away.',
  },
  breaches: {
    empty: 'No breaches',
    emptyText: 'When a rule reaches its limit, what was done is listed here, step by step.',
    of: (rule: string) => rule,
    seen: { equity: 'Equity seen', count: 'Seen' },
    limit: 'Limit',
    firstOrder: 'First order',
    afterDecision: 'after the decision',
    noOrder: 'no order',
    closed: 'Closed',
    closedOf: (closed: number, total: number) => `${closed.toLocaleString()} of ${total.toLocaleString()}`,
    positions: 'positions and orders',
    acting: 'Still acting',
    holding: 'Done, and held',
    held: 'What is opened meanwhile is closed, too, until the breach is over.',
    experts: (count: number) =>
      `${of(count, 'chart with an expert was', 'charts with experts were')} closed. To put one back, open a chart and apply its template, whose name begins with “Berth-”.`,
    done: 'Done',
    failed: 'Not everything was done',
    reached: 'Limit reached',
    decided: (actions: string) => `Decided on the host: ${actions}.`,
    first: 'First order sent',
    closedAll: (closed: number, total: number) => `${closed.toLocaleString()} of ${total.toLocaleString()} closed`,
    left: (symbol: string, ticket: string) => `Not closed: ${symbol}, ticket ${ticket}`,
    steps: {
      close_all: { ok: 'Everything closed', failed: 'Not everything closed' },
      trading_off: { ok: 'Algo trading off', failed: 'Algo trading is still on' },
      lock: { ok: 'Locked', failed: 'Not locked' },
      notify: { ok: 'You were notified', failed: 'Nobody was notified' },
    },
    after: (span: string) => `+${span}`,
    ms: (value: string) => `${value} ms`,
    evidence: 'What was seen and done',
    evidenceOf: (terminal: string, rule: string) => `What was seen and done: ${terminal}, ${rule}`,
    more: 'Show earlier',
  },
};
