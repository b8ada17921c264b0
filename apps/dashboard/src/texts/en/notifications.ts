/** Notifications by their type; `name` is that of the terminal, task, token or host. */
export const notifications = {
  unnamed: '(unnamed)',
  /** After the sentence of the newest one. */
  andOthers: (sentence: string, others: number) =>
    `${sentence.replace(/\.$/, '')} (and ${others === 1 ? '1 more' : `${others} more`}).`,
  times: (count: number) => ` (${count} times)`,
  kinds: {
    'App\\Notifications\\TerminalReady': (name: string) => `${name} is ready.`,
    'App\\Notifications\\TerminalFailed': (name: string) => `${name} could not be installed.`,
    'App\\Notifications\\TerminalLoginFailed': (name: string) => `${name} could not log in to the broker.`,
    'App\\Notifications\\TerminalDisconnected': (name: string) => `${name} disconnected from the broker.`,
    'App\\Notifications\\TerminalDestroyed': (name: string) => `${name} was deleted.`,
    'App\\Notifications\\TaskFailed': (name: string) => `Task failed: ${name}.`,
    'App\\Notifications\\TokenCreated': (name: string) => `API token created: ${name}.`,
    'App\\Notifications\\PasswordChanged': () => 'Your password was changed.',
    'App\\Notifications\\HostLost': (name: string) => `Host ${name} is offline.`,
  },
};
