/** How mail went last, for operators: one row, whoever writes. */
import type { MailState } from '@berth/contract';
import type { Logger } from '@berth/kit';
import { sql, type Queryable, type Store } from '../db/database.ts';
import type { Mailer } from './mailer.ts';

/** Between two notes of a server that the same happened again. */
const NOTED_EVERY_MS = 60_000;
const MAX_ERROR = 300;

const noteStatement = sql(
  'note_mail',
  `insert into mail_state as m (last_sent_at, last_failed_at, error)
   values (case when $1::text is null then now() end, case when $1 is not null then now() end, $1)
   on conflict (is_only) do update set last_sent_at = coalesce(excluded.last_sent_at, m.last_sent_at),
     last_failed_at = coalesce(excluded.last_failed_at, m.last_failed_at), error = coalesce(excluded.error, m.error)`,
);

const findStatement = sql(
  'find_mail_state',
  `select last_sent_at, last_failed_at, error, coalesce(last_failed_at > last_sent_at, last_failed_at is not null) as is_failing
   from mail_state`,
);

/** @returns undefined when no mail was sent yet */
export const findMailState = async (db: Queryable): Promise<MailState | undefined> =>
  (await db.query<MailState>(findStatement))[0];

/** An address that its server does not know says nothing of ours: users choose addresses. */
const isOfAddress = (error: unknown): boolean => {
  const cause = error instanceof Error ? error.cause : undefined;
  return (cause as { command?: unknown } | undefined)?.command === 'RCPT TO';
};

/** The mailer, with notes of how it goes. A note that fails is not worth a mail. */
export const withState = (mailer: Mailer, db: Pick<Store, 'transaction'>, log: Logger): Mailer => {
  let noted = { error: '', atMs: -Infinity };
  const note = async (error: string | null): Promise<void> => {
    const text = error?.slice(0, MAX_ERROR) ?? null;
    if (noted.error === (text ?? '') && performance.now() - noted.atMs < NOTED_EVERY_MS) return;
    noted = { error: text ?? '', atMs: performance.now() };
    await db
      .transaction((tx) => tx.query(noteStatement, [text]))
      .catch((cause: unknown) => log.debug({ err: cause }, 'mail was not noted'));
  };
  return {
    send: async (mail) => {
      try {
        await mailer.send(mail);
      } catch (error) {
        if (!isOfAddress(error)) await note((error as Error).message);
        throw error;
      }
      await note(null);
    },
  };
};
