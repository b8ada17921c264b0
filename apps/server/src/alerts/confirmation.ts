/** The mail that asks the owner of an address whether Berth may write to it. Its reader knows nobody: nothing in it comes from a user but his address. */
import type { AlertChannel } from '@berth/contract';
import type { Logger } from '@berth/kit';
import type { ServerConfig } from '../config.ts';
import type { Database, Transaction } from '../db/database.ts';
import { takeMail } from '../mail/allowance.ts';
import type { Mail, Mailer } from '../mail/mailer.ts';
import type { Vault } from '../secrets/vault.ts';
import { findBaseUrl, toLink } from './links.ts';

/** @param link agrees when it is opened and its button pressed */
const toMail = (to: string, account: string, link: string): Mail => ({
  to,
  subject: 'May Berth send alerts to this address?',
  text: [
    'Hello,',
    '',
    `the Berth account ${account} asks to send alerts about its trading terminals to this address.`,
    'If that is fine, open this link and press the button:',
    '',
    link,
    '',
    'If you do not know what this is about, ignore this mail: nothing will be sent.',
    '',
  ].join('\n'),
});

export interface ConfirmationParts {
  db: Database;
  mailer: Mailer;
  vault: Pick<Vault, 'toFingerprint'>;
  config: Pick<ServerConfig, 'publicUrl' | 'host' | 'port'>;
  log: Logger;
}

type Asked = Pick<AlertChannel, 'id' | 'settings' | 'is_confirmed'>;

/** Mails the link that agrees to the address of a channel, unless its owner was asked often enough. @param account who asks */
export const askToConfirm = async (
  { db, mailer, vault, config }: ConfirmationParts,
  account: string,
  { id, settings: { to = '' } }: Asked,
): Promise<void> => {
  const link = toLink(vault, findBaseUrl(config), { purpose: 'confirm', id, address: to });
  if (link === undefined || !(await db.transaction((tx) => takeMail(tx, 'confirm', to)))) return;
  await mailer.send(toMail(to, account, link));
};

/** The same after the commit, where somebody has to agree: nobody waits for it, because a mail server may be slow. */
export const askLater = (parts: ConfirmationParts, tx: Transaction, account: string, channel: Asked): void => {
  if (channel.is_confirmed) return;
  tx.afterCommit(() => {
    askToConfirm(parts, account, channel).catch((error: unknown) => {
      parts.log.warn({ err: error, channel: channel.id }, 'the mail that asks to confirm a channel could not be sent');
    });
  });
};
