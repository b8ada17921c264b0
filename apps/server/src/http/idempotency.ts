import type { FastifyRequest } from 'fastify';
import { sql, type Database, type Queryable } from '../db/database.ts';
import type { Vault } from '../secrets/vault.ts';
import { AppError, ValidationError } from './errors.ts';

const FIELD = 'idempotency_key';
const SHAPE = /^[\x21-\x7e]{1,255}$/;

/** The `Idempotency-Key` header. @throws ValidationError when it is not 1-255 visible ASCII characters */
export const findIdempotencyKey = (request: FastifyRequest): string | undefined => {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && SHAPE.test(key)) return key;
  throw ValidationError.of(FIELD, 'The idempotency key field must be 1 to 255 visible characters.');
};

const lockStatement = sql(
  'lock_idempotency_key',
  `select pg_try_advisory_xact_lock(hashtextextended($1 || $2, 0)) as is_free`,
);
const findStatement = sql(
  'find_idempotency_key',
  `select request_hash, response from idempotency_keys
   where user_id = $1 and key = $2 and created_at > now() - interval '24 hours'`,
);
const storeStatement = sql(
  'store_idempotency_key',
  `insert into idempotency_keys (user_id, key, request_hash, response) values ($1, $2, $3, $4)
   on conflict (user_id, key) do update set request_hash = excluded.request_hash, response = excluded.response, created_at = now()`,
);

export interface IdempotentRequest {
  userId: string;
  key: string;
  /** What must be the same in a repetition. */
  request: unknown;
}

/**
 * Carries out the work once for a user's key, in the same transaction that stores the answer; a repetition gets the first
 * answer (`fresh` is then undefined). Kept for 24 hours.
 * @throws AppError 409 while the first request is under way; ValidationError when the key came with another request
 */
export const withIdempotencyKey = async <Response extends object, Fresh>(
  { db, vault }: { db: Database; vault: Vault },
  { userId, key, request }: IdempotentRequest,
  work: (tx: Queryable) => Promise<{ response: Response; fresh: Fresh }>,
): Promise<{ response: Response; fresh: Fresh | undefined }> => {
  // A request may hold a trading password: a plain hash of it could be searched by whoever reads the table.
  const hash = vault.toFingerprint(JSON.stringify(request));
  return db.transaction(async (tx) => {
    const [lock] = await tx.query<{ is_free: boolean }>(lockStatement, [userId, key]);
    if (!lock?.is_free) throw new AppError('idempotency_key_in_use');
    const [known] = await tx.query<{ request_hash: Buffer; response: Response }>(findStatement, [userId, key]);
    if (known && !known.request_hash.equals(hash)) {
      throw ValidationError.of(FIELD, 'The idempotency key was used with another request.');
    }
    if (known) return { response: known.response, fresh: undefined };
    const done = await work(tx);
    await tx.query(storeStatement, [userId, key, hash, JSON.stringify(done.response)]);
    return done;
  });
};
