import type { JoinTokenRecord } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { COUNTED_ROWS, isOlder, toKey, toOffset, type PageInput } from '../db/page.ts';
import { createSecret, isSecret, toSecretHash } from '../secrets/token-secret.ts';
import { createJoinToken } from './queries.ts';

/** A join token is used right after it is created. */
const VALID_MS = 3_600_000;
const JOIN_TOKEN = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\|(\w{48})$/;

/** Creates a one-time token with which an agent enrols a host with this name and region. */
export const issueJoinToken = async (
  db: Queryable,
  host: { region: number; name: string; capacity: number },
): Promise<{ joinToken: string; expiresAt: string }> => {
  const [id, secret] = [createId(), createSecret()];
  const expiresAt = await createJoinToken(db, { id, secretHash: toSecretHash(secret), validMs: VALID_MS, ...host });
  return { joinToken: `${id}|${secret}`, expiresAt };
};

export const parseJoinToken = (text: string): { id: string; secretHash: Buffer } | undefined => {
  const match = JOIN_TOKEN.exec(text.trim());
  if (!match?.[1] || !match[2] || !isSecret(match[2])) return undefined;
  return { id: match[1], secretHash: toSecretHash(match[2]) };
};

const columns = `id, name, region_id as region, capacity, created_at, expires_at, used_at, host_id`;

const listStatement = sql(
  'list_join_tokens',
  `select ${columns} from join_tokens where ${isOlder(3)} order by created_at desc, id desc limit $1 offset $2`,
);
const countStatement = sql(
  'count_join_tokens',
  `select count(*) as total from (select from join_tokens limit $1) counted`,
);

/** Newest first, never with what an agent shows. */
export const listJoinTokens = (db: Queryable, page: PageInput): Promise<JoinTokenRecord[]> =>
  db.query<JoinTokenRecord>(listStatement, [page.per_page, toOffset(page), ...toKey(page, 2)]);

export const countJoinTokens = async (db: Queryable): Promise<number> =>
  (await db.query<{ total: number }>(countStatement, [COUNTED_ROWS]))[0]?.total ?? 0;

const revokeStatement = sql(
  'revoke_join_token',
  `delete from join_tokens where id = $1 and used_at is null returning ${columns}`,
);

/** @returns undefined where there is no such token, or a host has used it */
export const revokeJoinToken = async (tx: Queryable, id: string): Promise<JoinTokenRecord | undefined> =>
  (await tx.query<JoinTokenRecord>(revokeStatement, [id]))[0];
