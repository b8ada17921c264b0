/** Kinds of notification; the API writes them as class names. */
export const notificationTypes = [
  'TerminalReady',
  'TerminalFailed',
  'TerminalLoginFailed',
  'TerminalDisconnected',
  'TerminalCrashed',
  'TerminalDestroyed',
  'TaskFailed',
  'TokenCreated',
  'PasswordChanged',
  'HostLost',
  'BackupFailed',
  'AlertOpened',
  'AlertResolved',
  'RiskBreached',
  'WebhookDisabled',
] as const;
export type NotificationType = (typeof notificationTypes)[number];

/** Those that cannot be turned off: they tell an owner of what somebody else may have done. */
export const securityNotificationTypes: readonly NotificationType[] = ['TokenCreated', 'PasswordChanged'];

/** `type` of a notification as the API writes it. */
export type NotificationClass = `App\\Notifications\\${NotificationType}`;

/**
 * The API's name of a kind.
 * @example
 * import { toNotificationClass } from '@berth/contract/values';
 * toNotificationClass('TaskFailed'); // => 'App\\Notifications\\TaskFailed'
 */
export const toNotificationClass = (type: NotificationType): NotificationClass => `App\\Notifications\\${type}`;

export const notificationClasses = notificationTypes.map(toNotificationClass);
