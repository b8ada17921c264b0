/**
 * Codes that set a new password: mailed, valid once, for 15 minutes and 5 tries. Ten of 32 letters are 50 bits: hopeless
 * to guess in 5 tries, and too many for a search through their hashes within the 15 minutes.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { Mailer } from '../mail/mailer.ts';
import type { Database } from '../db/database.ts';
import { findLogin, upsertPasswordReset } from './queries.ts';

const RESET_CODE_TTL_MS = 15 * 60_000;
const RESET_CODE_TRIES = 5;
/** No letter that can be taken for another: 0 and O, 1 and I. */
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
export const isResetCodeOf = (code: string, hash: Buffer): boolean => {
  const candidate = toCodeHash(code);
  return candidate.length === hash.length && timingSafeEqual(candidate, hash);
};

const toMailText = (name: string, code: string): string =>
  [
    `Hello ${name},`,
    '',
    'somebody, hopefully you, asked to set a new password for your Berth account. The code is',
    '',
    `    ${code.slice(0, 5)}-${code.slice(5)}`,
    '',
    'It is valid for 15 minutes and works once. If you did not ask for it, nothing has changed: ignore this mail.',
    '',
  ].join('\n');

/** Mails a fresh code to the account behind the address; does nothing when there is none. */
export const mailResetCode = async ({ db, mailer }: { db: Database; mailer: Mailer }, email: string): Promise<void> => {
  const user = await findLogin(db, email);
  if (!user) return;
  const code = createResetCode();
  await upsertPasswordReset(db, {
    userId: user.id,
    codeHash: toCodeHash(code),
    tries: RESET_CODE_TRIES,
    ttlMs: RESET_CODE_TTL_MS,
  });
  await mailer.send({
    to: user.email,
    subject: 'Your code for a new Berth password',
    text: toMailText(user.name, code),
  });
};
