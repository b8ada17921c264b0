/** The rules that every user begins with. He may change or delete them; they are made once. */
import type { AlertRule } from '@berth/contract';
import type { Transaction } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { insertChannel, countChannelsLocked } from './channels.ts';
import { askLater, type ConfirmationParts } from './confirmation.ts';
import { findBaseUrl } from './links.ts';
import { insertRule } from './rules.ts';

type Beginning = Pick<AlertRule, 'name' | 'when' | 'for_minutes'>;

const beginnings: readonly Beginning[] = [
  { name: 'Terminal down', when: 'terminal_down', for_minutes: 5 },
  { name: 'Login failed', when: 'login_failed', for_minutes: 0 },
  { name: 'Algo trading switched off', when: 'trading_off', for_minutes: 0 },
];

/** @param confirmation undefined: no mail can be sent, and the notification in Berth is all there is */
export const createDefaults = async (
  tx: Transaction,
  userId: string,
  confirmation: ConfirmationParts | undefined,
): Promise<void> => {
  const { owner } = await countChannelsLocked(tx, userId);
  const channelIds: string[] = [];
  if (confirmation && (owner.is_verified || findBaseUrl(confirmation.config) !== undefined)) {
    const settings = { to: owner.email };
    const kind = { kind: 'email', name: 'E-mail', settings, secrets: null, withScreenshot: false } as const;
    const channel = await insertChannel(tx, { id: createId(), userId, ...kind, isConfirmed: owner.is_verified });
    askLater(confirmation, tx, owner.email, channel);
    channelIds.push(channel.id);
  }
  const common = {
    remind_every_minutes: null,
    project_id: null,
    terminal_ids: null,
    channel_ids: channelIds,
    quiet_hours: null,
    enabled: true,
  };
  for (const rule of beginnings) await insertRule(tx, userId, createId(), { ...rule, ...common });
};
