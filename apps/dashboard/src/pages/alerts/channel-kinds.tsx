/** What each kind of channel needs, and how it is shown. */
import type { AlertChannel, AlertChannelKind, AlertChannelSettings } from '@berth/client';
import { BellRing, Hash, Mail, MessageCircle, Send, type LucideIcon } from 'lucide-react';

export type SettingName = keyof AlertChannelSettings;

interface Kind {
  icon: LucideIcon;
  required: readonly SettingName[];
  optional: readonly SettingName[];
  /** What tells one from another of its kind, and is no secret. */
  shown: readonly SettingName[];
}

export const channelKinds: Record<AlertChannelKind, Kind> = {
  email: { icon: Mail, required: ['to'], optional: [], shown: ['to'] },
  telegram: { icon: Send, required: ['bot_token', 'chat_id'], optional: ['api_url'], shown: ['chat_id', 'api_url'] },
  discord: { icon: MessageCircle, required: ['webhook_url'], optional: [], shown: [] },
  slack: { icon: Hash, required: ['webhook_url'], optional: [], shown: [] },
  ntfy: { icon: BellRing, required: ['topic'], optional: ['server_url', 'token'], shown: ['topic', 'server_url'] },
};

export const secretSettings: ReadonlySet<SettingName> = new Set(['bot_token', 'webhook_url', 'token']);

/** "-100 2214", "berth-alerts, https://ntfy.example.com" */
export const toShownSettings = ({ kind, settings }: AlertChannel): string =>
  channelKinds[kind].shown.flatMap((name) => settings[name] ?? []).join(', ');

export const ChannelIcon = ({ kind }: { kind: AlertChannelKind }) => {
  const Icon = channelKinds[kind].icon;
  return <Icon aria-hidden="true" />;
};
