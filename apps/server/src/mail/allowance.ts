/** How many mails of a kind an address gets within an hour, from all accounts together. */
import { isOver } from '../db/clock.ts';
import { sql, type Queryable } from '../db/database.ts';

/** Mails that users can have sent at will: to any address, or as often as they enable a webhook that is disabled again. */
const MAILS_PER_HOUR = { confirm: 3, test: 10, disabled: 10 } as const;
const HOUR = `interval '1 hour'`;

const takeStatement = sql(
  'take_counted_mail',
  `insert into reset_mails as m (address_hash, mails, ends_at)
   values (sha256(convert_to($1 || ' ' || lower($2), 'UTF8')), 1, now() + ${HOUR})
   on conflict (address_hash) do update set
     mails = case when ${isOver('m.ends_at', HOUR)} then 1 else m.mails + 1 end,
     ends_at = case when ${isOver('m.ends_at', HOUR)} then excluded.ends_at else m.ends_at end
   where ${isOver('m.ends_at', HOUR)} or m.mails < $3
   returning mails`,
);

/** Counts a mail to an address. @returns whether it may be sent */
export const takeMail = async (
  tx: Queryable,
  purpose: keyof typeof MAILS_PER_HOUR,
  address: string,
): Promise<boolean> => (await tx.query(takeStatement, [purpose, address, MAILS_PER_HOUR[purpose]])).length > 0;
