/**
 * The header `Idempotency-Key` on routes that the contract marks as idempotent: a creation that is sent again, because
 * its answer was lost, takes effect once. The answer is stored in the transaction that creates, so a server killed at
 * any point leaves both or neither. Only creations are stored: a refusal or an error changed nothing, and a client that
 * sends the same request again wants it tried again.
 */
import { taskRoutes, type RouteContract } from '@berth/contract';
import type { FastifyRequest } from 'fastify';
import { sql, type Creation, type Database, type Queryable } from '../../db/database.ts';
import { AppError, ValidationError } from '../../errors.ts';
import { toSha256 } from '../../files/files.ts';
import type { Vault } from '../../secrets/vault.ts';

const FIELD = 'idempotency_key';
const SHAPE = /^[\x21-\x7e]{1,255}$/;

/** The `Idempotency-Key` header. @throws ValidationError when it is not 1-255 visible ASCII characters */
export const findIdempotencyKey = (request: FastifyRequest): string | undefined => {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && SHAPE.test(key)) return key;
  throw ValidationError.of(FIELD, 'The idempotency key field must be 1 to 255 visible characters.');
};

// Two-number locks, so that no key can collide with a lock of the service, which uses one number.
const lockStatement = sql(
  'lock_idempotency_key',
  `select pg_try_advisory_xact_lock(hashtext($1), hashtext($2)) as is_free`,
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

export interface CreationRequest {
  route: RouteContract;
  params: Record<string, string>;
  query: unknown;
  /** Validated and normalised; a file's raw content counts by its hash. */
  body: unknown;
}

/** Everything that must be equal in a repeated request. */
const toIdentity = async ({ route, params, query, body }: CreationRequest): Promise<unknown> => {
  // The form of the time when tasks alone had keys: during a rolling upgrade both versions read the same.
  if (route.url === taskRoutes.createTask.url) return { terminalId: params.terminal_id, body };
  const content = Buffer.isBuffer(body) ? await toSha256(body) : body;
  return { route: `${route.method} ${route.url}`, params, query, body: content };
};

const isRefusal = (answer: object): boolean => 'ok' in answer && answer.ok === false;

interface Claim {
  userId: string;
  key: string;
  hash: Buffer;
}

interface Answered<Answer> {
  answer: Answer;
  /** It is that of an earlier request with the same key. */
  isReplayed: boolean;
}

/**
 * The stored answer of the key, or that of the work, which is then stored. The key is locked until the transaction
 * ends.
 */
const answerOnce = async <Answer extends object>(
  tx: Queryable,
  { userId, key, hash }: Claim,
  work: () => Promise<Answer>,
): Promise<Answered<Answer>> => {
  const [lock] = await tx.query<{ is_free: boolean }>(lockStatement, [userId, key]);
  if (!lock?.is_free) throw new AppError('idempotency_key_in_use');
  const [known] = await tx.query<{ request_hash: Buffer; response: Answer }>(findStatement, [userId, key]);
  if (known && !known.request_hash.equals(hash)) {
    throw ValidationError.of(
      FIELD,
      'The idempotency key was used with another request.',
      'Make a new key for a new request.',
    );
  }
  if (known) return { answer: known.response, isReplayed: true };
  const answer = await work();
  if (!isRefusal(answer)) await tx.query(storeStatement, [userId, key, hash, JSON.stringify(answer)]);
  return { answer, isReplayed: false };
};

/**
 * Calls the handler once per key of a user: a repetition within 24 hours gets the first answer and reaches no handler.
 * Without a key the handler is simply called.
 * @throws AppError 409 while the first request is in progress; ValidationError when the key was used with a different
 *   request
 */
export const createOnce = async <Answer extends object>(
  { db, vault }: { db: Database; vault: Vault },
  { userId, key, request }: { userId: string; key: string | undefined; request: CreationRequest },
  handle: (creation: Creation) => Promise<Answer>,
): Promise<Answered<Answer>> => {
  if (key === undefined) {
    const answer = await handle({ hasKey: false, within: (work) => db.transactionFor(userId, work) });
    return { answer, isReplayed: false };
  }
  // A request may contain a trading password: a plain hash of it could be brute-forced by a reader of the table.
  const hash = vault.toFingerprint(JSON.stringify(await toIdentity(request)));
  return db.transactionFor(userId, (tx) =>
    answerOnce(tx, { userId, key, hash }, () => handle({ hasKey: true, within: (work) => work(tx) })),
  );
};
