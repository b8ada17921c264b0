/** The mail that asks the owner of an address whether Berth may write to it. Its reader knows nobody: nothing in it comes from a user but his address. */
import { isOver } from '../db/clock.ts';
import { sql, type Queryable } from '../db/database.ts';
import type { Mail } from '../mail/mailer.ts';

/** Mails that users can have sent to an address at will, from all accounts together, within an hour. */
const MAILS_PER_HOUR = { confirm: 3, test: 10 } as const;
const HOUR = `interval '1 hour'`;

const takeStatement = sql(
  'take_channel_mail',
  `insert into reset_mails as m (address_hash, mails, ends_at)
   values (sha256(convert_to($1 || ' ' || lower($2), 'UTF8')), 1, now() + ${HOUR})
   on conflict (address_hash) do update set
     mails = case when ${isOver('m.ends_at', HOUR)} then 1 else m.mails + 1 end,
     ends_at = case when ${isOver('m.ends_at', HOUR)} then excluded.ends_at else m.ends_at end
   where ${isOver('m.ends_at', HOUR)} or m.mails < $3
   returning mails`,
);

/** Counts a mail to an address, whose owner may never have heard of Berth. @returns whether it may be sent */
export const takeMail = async (
  tx: Queryable,
  purpose: keyof typeof MAILS_PER_HOUR,
  address: string,
): Promise<boolean> => (await tx.query(takeStatement, [purpose, address, MAILS_PER_HOUR[purpose]])).length > 0;

/** @param link agrees when it is opened and its button pressed */
export const toConfirmationMail = (to: string, account: string, link: string): Mail => ({
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
