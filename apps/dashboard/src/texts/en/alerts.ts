/** Alerts: what is open, what is over, the rules, and the channels by which people are told. */
import type { AlertChannelKind, AlertCondition } from '@berth/client';

interface Title {
  one: (name: string) => string;
  many: (count: number) => string;
}

/** What is the matter, in the words of the messages that are sent. */
const titles: Record<AlertCondition, Title> = {
  terminal_down: { one: (name) => `Terminal ${name} is down`, many: (count) => `${count} terminals are down` },
  login_failed: { one: (name) => `Terminal ${name} can’t log in`, many: (count) => `${count} terminals can’t log in` },
  expert_failed: {
    one: (name) => `An expert failed on ${name}`,
    many: (count) => `Experts failed on ${count} terminals`,
  },
  trading_off: {
    one: (name) => `Algo trading was switched off in ${name}`,
    many: (count) => `Algo trading was switched off in ${count} terminals`,
  },
  task_failed: { one: (name) => `A task failed on ${name}`, many: (count) => `Tasks failed on ${count} terminals` },
  host_lost: {
    one: (name) => `The host of ${name} is offline`,
    many: (count) => `The hosts of ${count} terminals are offline`,
  },
  risk_breached: { one: (name) => `${name} broke a risk rule`, many: (count) => `${count} terminals broke risk rules` },
};

const conditions: Record<AlertCondition, string> = {
  terminal_down: 'A terminal is down',
  login_failed: 'A login fails',
  expert_failed: 'An expert fails',
  trading_off: 'Algo trading goes off',
  task_failed: 'A task fails',
  host_lost: 'A host goes offline',
  risk_breached: 'A risk rule is reached',
};

const conditionNotes: Record<AlertCondition, string> = {
  terminal_down: 'It is disconnected, out of reach, logged out by its broker, or failed.',
  login_failed: 'The broker refuses the login.',
  expert_failed: 'A terminal refuses to load an expert.',
  trading_off: 'Somebody else switched it off, not you in Berth.',
  task_failed: 'Whatever the task.',
  host_lost: 'One message for all of its terminals.',
  risk_breached: 'One of your risk rules was broken.',
};

const kinds: Record<AlertChannelKind, string> = {
  email: 'E-mail',
  telegram: 'Telegram',
  discord: 'Discord',
  slack: 'Slack',
  ntfy: 'ntfy',
};

const terminals = (count: number): string => (count === 1 ? '1 terminal' : `${count} terminals`);

export const alerts = {
  title: 'Alerts',
  tabsLabel: 'Alert sections',
  tabs: { open: 'Open', resolved: 'Resolved', rules: 'Rules', channels: 'Channels' },
  titles,
  hostOffline: (host: string) => `Host ${host} is offline`,
  conditions,
  conditionNotes,
  kinds,
  terminals,
  someChannelFails: 'A channel fails',
  open: {
    none: 'Nothing is wrong',
    noneText: 'When a rule finds something, it is shown here until it is over, and you are told by your channels.',
    list: 'Open alerts, newest first',
    acknowledge: 'Acknowledge',
    acknowledgeOf: (title: string) => `Acknowledge “${title}”`,
    acknowledged: 'Acknowledged',
    acknowledgedNow: 'Acknowledged. There are no more reminders about it.',
    toTerminal: 'Open terminal',
    since: 'Since',
    positions: (count: number) => `${count} had open positions`,
    noPositions: (count: number) => `${count} had none`,
    marks: (all: number, open: number) => `${terminals(all)}: ${open} had open positions`,
    more: (count: number) => `and ${count} more`,
    rule: 'Rule:',
  },
  life: {
    list: 'What was sent',
    opened: 'Opened',
    earlier: (count: number) => `${count} earlier ${count === 1 ? 'message' : 'messages'}`,
    reminder: 'reminder',
    over: 'all clear',
    failed: 'not sent',
    waiting: 'waits',
    acknowledged: 'Acknowledged',
    gone: 'Deleted channel',
    nobody: 'Notification in Berth only',
  },
  resolved: {
    caption: 'Resolved alerts, newest first',
    columns: { opened: 'Opened', alert: 'Alert', lasted: 'Lasted', sent: 'Sent to', acknowledged: 'Acknowledged' },
    none: 'No resolved alerts',
    noneText: 'Alerts are kept for 90 days after they are over.',
    no: 'no',
  },
  rules: {
    caption: 'Your rules, oldest first',
    columns: {
      when: 'Alert me when',
      after: 'After',
      to: 'Send to',
      quiet: 'Quiet hours',
      on: 'On',
      actions: 'Actions',
    },
    create: 'Create rule',
    edit: 'Edit rule',
    name: 'Name',
    when: 'Alert me when',
    after: 'After (minutes)',
    afterNote: '0: at once.',
    remind: 'Remind every (minutes)',
    remindNote: 'Until you acknowledge it. Empty: no reminders.',
    terminals: 'Terminals',
    all: 'All terminals',
    ofProject: (name: string) => `Of the project ${name}`,
    /** After the condition, in the list. */
    ofAll: 'all terminals',
    inProject: (name: string) => `project ${name}`,
    some: 'Only some terminals',
    chosen: (count: number) => (count === 0 ? 'None chosen' : `${terminals(count)} chosen`),
    search: 'Search terminals',
    chooseOne: 'Choose at least one terminal.',
    noMatch: 'No matching terminals.',
    channels: 'Send to',
    noChannels: 'There are no channels yet: alerts of this rule are only notifications in Berth.',
    quiet: 'Quiet hours',
    quietNote: 'Messages wait until they end, and are sent then if the alert is still open.',
    from: 'From',
    to: 'Until',
    zone: 'Time zone',
    enabled: 'Enabled',
    atOnce: 'at once',
    minutes: (count: number) => `${count} min`,
    onlyHere: 'only in Berth',
    always: 'always sent',
    quietLabel: (from: string, to: string, zone: string) => `Quiet from ${from} to ${to}, ${zone}`,
    on: 'On',
    off: 'Off',
    saved: (name: string) => `Rule “${name}” saved.`,
    created: (name: string) => `Rule “${name}” created.`,
    turnedOn: (name: string) => `Rule “${name}” is on.`,
    turnedOff: (name: string) => `Rule “${name}” is off.`,
    delete: 'Delete rule',
    deleteTitle: 'Delete this rule?',
    deleteLead: (name: string) => `“${name}” alerts nobody any more, and its open alerts end.`,
    deleted: (name: string) => `Rule “${name}” deleted.`,
    more: (name: string) => `More actions for ${name}`,
    none: 'No rules',
    noneText:
      'Nobody is told when something goes wrong. Your first terminal brings the usual rules: down, login failed, algo trading switched off.',
  },
  channels: {
    list: 'Your channels, oldest first',
    add: 'Add channel',
    edit: 'Edit channel',
    kind: 'Kind',
    name: 'Name',
    namePlaceholder: 'Trading desk',
    test: 'Send test',
    testOf: (name: string) => `Send test to ${name}`,
    testSent: 'The test was accepted.',
    testAnswer: 'Answer:',
    lastSent: 'Last message',
    fails: 'The last message was not delivered.',
    unused: 'Not used yet',
    unconfirmed: 'Not confirmed yet. Open the link in the mail that was sent to this address.',
    more: (name: string) => `More actions for ${name}`,
    saved: (name: string) => `Channel ${name} saved.`,
    added: (name: string) => `Channel ${name} added. Send a test to see whether it works.`,
    delete: 'Delete channel',
    deleteTitle: 'Delete this channel?',
    deleteLead: (name: string) => `Nothing more is sent to ${name}. Rules that use it go on without it.`,
    deleted: (name: string) => `Channel ${name} deleted.`,
    none: 'No channels yet',
    noneText: 'Alerts are shown as notifications in Berth. Add a channel to be told on your telephone.',
    secretNote: 'It is stored sealed and not shown again. Leave it as it is to keep it.',
    fields: {
      to: { label: 'Address', note: 'Another address than your own has to be confirmed by a link.' },
      bot_token: { label: 'Bot token', note: 'From @BotFather.' },
      chat_id: { label: 'Chat ID', note: 'The number of the chat, or @name of a public channel. Add the bot to it.' },
      api_url: { label: 'Bot API server', note: 'Empty: https://api.telegram.org' },
      webhook_url: { label: 'Webhook URL', note: 'The address of the incoming webhook.' },
      server_url: { label: 'Server', note: 'Empty: https://ntfy.sh' },
      topic: {
        label: 'Topic',
        note: 'Letters, digits, - and _. Whoever knows it can read it: choose one that nobody guesses.',
      },
      token: { label: 'Access token', note: 'Empty: none.' },
    },
    messagesTitle: 'Each message',
    messages: [
      'says what happened, since when, and how many terminals are affected',
      'links to Berth, and lets you acknowledge the alert without signing in',
      'is sent once per host, not once per terminal',
      'is followed by an all-clear',
    ],
  },
};

/** The menu of a terminal's page that makes a rule for it. */
export const alertMenu = {
  button: 'Alert me',
  lead: 'Alert me when this terminal',
  items: {
    terminal_down: 'is down for 5 minutes',
    login_failed: 'can’t log in',
    trading_off: 'has algo trading turned off',
    expert_failed: 'can’t load an expert',
    task_failed: 'fails a task',
  },
  exists: 'There is such a rule.',
  ruleName: (name: string, condition: string) => `${name}: ${condition}`,
  created: (name: string, channels: string) => `Rule “${name}” created. You are told by ${channels}.`,
  createdHere: (name: string) =>
    `Rule “${name}” created. You are told by a notification in Berth. Add a channel under Alerts to be told elsewhere.`,
  toRules: 'All rules',
};
