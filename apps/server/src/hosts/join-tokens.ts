import type { Queryable } from '../db/database.ts';
import { createId } from '../db/ids.ts';
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
