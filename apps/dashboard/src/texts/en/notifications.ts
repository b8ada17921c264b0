/** What the service tells, by its kind; `name` is that of the terminal, task, token or host. */
export const notifications = {
  unnamed: 'something without a name',
  /** After the sentence of the newest one. */
  andOthers: (sentence: string, others: number) =>
    `${sentence.replace(/\.$/, '')}, and ${others === 1 ? 'one more' : `${others} more`} like it.`,
  times: (count: number) => ` (${count} times)`,
  kinds: {
    'App\\Notifications\\TerminalReady': (name: string) => `${name} is ready.`,
    'App\\Notifications\\TerminalFailed': (name: string) => `${name} could not be installed.`,
    'App\\Notifications\\TerminalLoginFailed': (name: string) => `The broker refused the login of ${name}.`,
    'App\\Notifications\\TerminalDisconnected': (name: string) => `${name} lost its link to the broker.`,
    'App\\Notifications\\TerminalDestroyed': (name: string) => `${name} was deleted.`,
    'App\\Notifications\\TaskFailed': (name: string) => `A task failed: ${name}.`,
    'App\\Notifications\\TokenCreated': (name: string) => `A token was created: ${name}.`,
    'App\\Notifications\\PasswordChanged': () => 'Your password was changed.',
    'App\\Notifications\\HostLost': (name: string) => `The host ${name} fell silent.`,
  },
};
