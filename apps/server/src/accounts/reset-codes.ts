/**
 * Codes that set a new password. They are mailed, and valid once, for 15 minutes. A caller has 5 tries in that time,
 * however many codes there are. Strangers have tries of their own: otherwise they could use up the owner's. Ten
 * characters out of 32 are 50 bits: hopeless to guess within the tries that all callers have together, and too many to
 * search through the hashes within 15 minutes. A new request does not invalidate earlier codes: otherwise a stranger
 * who keeps requesting codes for an address would keep its owner from ever using one. An address without an account
 * causes the same work and the same rows, so that timing does not reveal it.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { Logger } from '@berth/kit';
import { recordAudit, toUserActor } from '../audit/record.ts';
import type { Database } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import type { Mailer } from '../mail/mailer.ts';
import { deleteResetCode, issueResetCode, takeResetCodeTry, type ResetTry } from './credentials.ts';

const RESET_CODE_TTL_MS = 15 * 60_000;
/** Of one caller, by IP address, for one e-mail address, within the lifetime of a code. */
const TRIES_PER_CALLER = 5;
/**
 * Of all callers together. Using them up takes two thousand networks; guessing a code with them has a chance of one in
 * 10¹¹.
 */
const TRIES_PER_CODE = 10_000;
/** Anyone who asks for more already has these in their inbox. */
const MAILS_PER_HOUR = 3;
const HOUR_MS = 3_600_000;
/** No look-alikes: 0 and O, 1 and I. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 10;

const createResetCode = (): string => {
  let code = '';
  for (let index = 0; index < CODE_LENGTH; index += 1) code += ALPHABET[randomInt(ALPHABET.length)];
  return code;
};

/** Case, spaces and dashes do not count: people copy codes by hand. */
const toCodeHash = (code: string): Buffer =>
  createHash('sha256').update(code.toUpperCase().replace(/[\s-]/g, '')).digest();

/** Compares in constant time. */
const isResetCodeOf = (code: string, hash: Buffer): boolean => {
  const candidate = toCodeHash(code);
  return candidate.length === hash.length && timingSafeEqual(candidate, hash);
};

/** Only the configured address is used: a request could claim any. */
const toPlace = (publicUrl: string | undefined): string =>
  publicUrl === undefined ? 'on the page where you asked for it' : `on the sign-in page of ${publicUrl}`;

const MAX_GREETED = 60;

/**
 * Anybody can register somebody else's address: the name must not turn the mail into something its reader would trust,
 * such as a link, or add lines.
 */
const toGreeting = (name: string): string => {
  const plain = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const isGreeted = plain !== '' && plain.length <= MAX_GREETED && !/[/\\:@]|\.\p{L}/u.test(plain);
  return isGreeted ? `Hello ${plain},` : 'Hello,';
};

const toMailText = (name: string, code: string, publicUrl: string | undefined): string =>
  [
    toGreeting(name),
    '',
    'somebody, hopefully you, asked to set a new password for your Berth account. The code is',
    '',
    `    ${code.slice(0, 5)}-${code.slice(5)}`,
    '',
    `Enter it ${toPlace(publicUrl)}, with your e-mail address and the new password. A program sends all three to`,
    'POST /v1/auth/reset-password.',
    '',
    'The code is valid for 15 minutes and works once. If you did not ask for it, nothing has changed: ignore this mail.',
    '',
  ].join('\n');

interface MailParts {
  db: Database;
  mailer: Mailer;
  log: Logger;
  config: { publicUrl: string | undefined };
}

type MailedUser = NonNullable<Awaited<ReturnType<typeof issueResetCode>>>;

/** The audit log knows of a code before anybody can. */
const noteAndMail = async (
  { db, mailer, config }: MailParts,
  { id: userId, name, email }: MailedUser,
  { code, address }: { code: string; address: string },
): Promise<void> => {
  const target = { type: 'account', id: userId };
  await recordAudit(db, toUserActor(userId, address), { action: 'password.request', target });
  await mailer.send({
    to: email,
    subject: 'Your code for a new Berth password',
    text: toMailText(name, code, config.publicUrl),
  });
};

/**
 * Stores a new code for the address, and mails it if the address has an account. Resolves before the mail is noted and
 * sent, because that would reveal by its duration that there is an account.
 * @param address where the request came from: nobody knows whether it is the user's
 */
export const requestResetCode = async (
  parts: MailParts,
  { email, address }: { email: string; address: string },
): Promise<void> => {
  const { db, log } = parts;
  const code = createResetCode();
  const id = createId();
  const mails = { maxMails: MAILS_PER_HOUR, mailsMs: HOUR_MS };
  const rules = { tries: TRIES_PER_CODE, ttlMs: RESET_CODE_TTL_MS, ...mails };
  const request = { id, email, codeHash: toCodeHash(code), ...rules };
  // Not on the slow connections, where it would wait behind lists and files.
  const user = await db.transaction((tx) => issueResetCode(tx, request));
  if (!user) return;
  noteAndMail(parts, user, { code, address }).catch(async (error: unknown) => {
    log.error({ err: error }, 'a code for a new password could not be mailed');
    await db
      .transaction((tx) => deleteResetCode(tx, id))
      .catch((cause: unknown) => {
        log.warn({ err: cause }, 'a code that could not be mailed stays until it expires');
      });
  });
};

/**
 * Checks a code, and uses up one try of the caller.
 * @param caller identifies the caller in limits by address
 * @returns the code's user; undefined when it is wrong, or no try was left
 */
export const tryResetCode = async (
  db: Database,
  { email, code, caller }: { email: string; code: string; caller: string },
): Promise<Extract<ResetTry, { email: string }> | undefined> => {
  const request = { email, caller, maxTries: TRIES_PER_CALLER, triesMs: RESET_CODE_TTL_MS };
  const codes = await db.transaction((tx) => takeResetCodeTry(tx, request));
  const [reset] = codes.filter(({ code_hash: hash }) => isResetCodeOf(code, hash));
  return reset === undefined || reset.id === null ? undefined : reset;
};
