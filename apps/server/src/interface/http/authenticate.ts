import { AccountStatus, agentRoutes, hasAbility, type RouteContract } from '@berth/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { isSecret, isSecretOf, parseToken } from '../../secrets/token-secret.ts';
import type { Services } from '../../services.ts';
import type { Caller } from './caller.ts';

const BEARER = /^Bearer +([^\s]+)$/i;
const HOST_CREDENTIAL = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\|(\w{48})$/;

const findBearer = (request: FastifyRequest): string | undefined =>
  BEARER.exec(request.headers.authorization ?? '')?.[1];

/** Every refusal looks the same: whether a token exists, expired or was revoked is nobody's business. */
const refuse = (reply: FastifyReply): never => {
  reply.header('www-authenticate', 'Bearer');
  throw new AppError('unauthenticated');
};

/** Finds the user behind the bearer token and notes the use of the token. Whether the user may call is asked later. */
export const authenticateUser = async (
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const token = parseToken(findBearer(request) ?? '');
  if (!token) return refuse(reply);
  const row = await services.identities.findUser(token.id);
  if (!row || !isSecretOf(token.secret, row.secret_hash)) return refuse(reply);
  request.caller = { tokenId: row.token_id, abilities: row.abilities, user: row };
  services.tokenUse.note(row.token_id, row.last_used_at);
};

/** 403 for a suspended or closed account, for a token without the ability, for a caller who is no operator. */
export const assertAllowed = (
  { abilities, user }: Caller,
  { auth, ability }: Pick<RouteContract, 'auth' | 'ability'>,
): void => {
  if (user.status !== AccountStatus.ACTIVE) throw new AppError('account_suspended');
  if (ability && !hasAbility(abilities, ability)) throw new AppError('missing_ability');
  if (auth === 'operator' && !user.is_operator) throw new AppError('operator_only');
};

/** Finds the host behind an agent's credential. Heartbeats, which are most of what agents say, are asked about together. */
export const authenticateHost = async (
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const match = HOST_CREDENTIAL.exec(findBearer(request) ?? '');
  if (!match?.[1] || !match[2] || !isSecret(match[2])) return refuse(reply);
  const { identities } = services;
  const isHeartbeat = request.routeOptions.config.contract === agentRoutes.heartbeat;
  const host = await (isHeartbeat ? identities.findBeatingHost(match[1]) : identities.findHost(match[1]));
  if (!host?.credential_hash || !isSecretOf(match[2], host.credential_hash)) return refuse(reply);
  request.callingHost = { id: host.id, name: host.name, regionId: host.region_id, sessionId: host.session_id };
};
