import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const RANDOM_LETTERS = 40;
const SECRET = /^[A-Za-z0-9]{40}[0-9a-f]{8}$/;
const TOKEN = /^([1-9]\d{0,15})\|([A-Za-z0-9]{40}[0-9a-f]{8})$/;

/** CRC32b of the random part: lets scanners recognise a leaked token, and rejects typos without a query. */
const toChecksum = (random: string): string => (crc32(random) >>> 0).toString(16).padStart(8, '0');

/** A new secret: 40 random alphanumerics and their checksum. */
export const createSecret = (): string => {
  let random = '';
  for (let index = 0; index < RANDOM_LETTERS; index += 1) random += ALPHABET[randomInt(ALPHABET.length)];
  return random + toChecksum(random);
};

export const isSecret = (text: string): boolean =>
  SECRET.test(text) && toChecksum(text.slice(0, RANDOM_LETTERS)) === text.slice(RANDOM_LETTERS);

/** What is stored instead of a secret. The secret has 238 bits, so a fast hash is enough. */
export const toSecretHash = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** Compares in constant time. */
export const isSecretOf = (secret: string, known: Buffer): boolean => {
  const candidate = toSecretHash(secret);
  return candidate.length === known.length && timingSafeEqual(candidate, known);
};

/** Reads `<id>|<secret>`; undefined unless shape and checksum hold. */
export const parseToken = (text: string): { id: number; secret: string } | undefined => {
  const match = TOKEN.exec(text);
  if (!match?.[1] || !match[2] || !isSecret(match[2])) return undefined;
  return { id: Number(match[1]), secret: match[2] };
};
