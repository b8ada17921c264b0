/** The rules that every user begins with. He may change or delete them; they are made once. */
import type { AlertRule } from '@berth/contract';
import type { Queryable } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { insertChannel, countChannelsLocked } from './channels.ts';
import { insertRule } from './rules.ts';

type Beginning = Pick<AlertRule, 'name' | 'when' | 'for_minutes'>;

const beginnings: readonly Beginning[] = [
  { name: 'Terminal down', when: 'terminal_down', for_minutes: 5 },
  { name: 'Login failed', when: 'login_failed', for_minutes: 0 },
  { name: 'Algo trading switched off', when: 'trading_off', for_minutes: 0 },
];

/** @param email where mail can be sent: the user's address; undefined: the notification in Berth is all there is */
export const createDefaults = async (tx: Queryable, userId: string, email: string | undefined): Promise<void> => {
  await countChannelsLocked(tx, userId);
  const channelIds: string[] = [];
  if (email !== undefined) {
    const id = createId();
    const settings = { to: email };
    await insertChannel(tx, { id, userId, kind: 'email', name: 'E-mail', settings, secrets: null, isConfirmed: true });
    channelIds.push(id);
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
