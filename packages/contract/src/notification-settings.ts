import { notificationTypes, type NotificationType } from './notifications.ts';
import { Type, type Static } from './schema.ts';

const Kinds = Type.Object(Object.fromEntries(notificationTypes.map((type) => [type, Type.Boolean()])));

/** Of which kinds of notification a user is notified. */
export const NotificationSettings = Type.Object({
  kinds: Type.Unsafe<Record<NotificationType, boolean>>({
    ...Kinds,
    description: 'Of which kinds the user is notified; of all, unless some were turned off',
  }),
});
/** Of which kinds of notification a user is notified. */
export type NotificationSettings = Static<typeof NotificationSettings>;

/** Which kinds to turn on or off. */
export const NotificationSettingsChanges = Type.Object({
  kinds: Type.Unsafe<Partial<Record<NotificationType, boolean>>>({
    ...Type.Partial(Kinds),
    description: 'The kinds to turn on or off; the others stay as they are',
  }),
});
