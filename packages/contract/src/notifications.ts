/** Kinds of notification; the interface writes them as class names. */
export const notificationTypes = [
  'TerminalReady',
  'TerminalFailed',
  'TerminalLoginFailed',
  'TerminalDisconnected',
  'TerminalDestroyed',
  'TaskFailed',
  'TokenCreated',
  'PasswordChanged',
  'HostLost',
] as const;
export type NotificationType = (typeof notificationTypes)[number];

export const toNotificationClass = (type: NotificationType): string => `App\\Notifications\\${type}`;
