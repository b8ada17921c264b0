import { AccountStatus, agentRoutes, hasAbility, hasRole, toNeededRole, type RouteContract } from '@berth/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { isSecret, isSecretOf, parseToken } from '../../secrets/token-secret.ts';
import type { ServerConfig } from '../../config.ts';
import type { CoreServices, IdentityServices } from '../../services.ts';
import type { Caller } from './caller.ts';
import { findSessionToken } from './session-cookie.ts';

const BEARER = /^Bearer +([^\s]+)$/i;
const HOST_CREDENTIAL = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\|(\w{48})$/;

const findBearer = (request: FastifyRequest): string | undefined =>
  BEARER.exec(request.headers.authorization ?? '')?.[1];

/** Every refusal looks the same: it must not reveal whether a token exists, has expired or was revoked. */
const refuse = (reply: FastifyReply): never => {
  reply.header('www-authenticate', 'Bearer');
  throw new AppError('unauthenticated');
};

/** A header takes precedence over the cookie, whatever it contains: whoever sends one means it. */
const findToken = (request: FastifyRequest, config: ServerConfig): { text: string; isSession: boolean } => {
  if (request.headers.authorization !== undefined) return { text: findBearer(request) ?? '', isSession: false };
  return { text: findSessionToken(request, config) ?? '', isSession: true };
};

/**
 * Finds the user of the bearer token or session cookie, and records its use. Whether the user may call the route is
 * checked later.
 */
export const authenticateUser = async (
  services: IdentityServices & Pick<CoreServices, 'config'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const { text, isSession } = findToken(request, services.config);
  const token = parseToken(text);
  if (!token) return refuse(reply);
  const row = await services.identities.findUser(token.id);
  if (!row || row.is_session !== isSession || !isSecretOf(token.secret, row.secret_hash)) return refuse(reply);
  const sessionToken = isSession ? text : null;
  const { token_id: tokenId, abilities, is_confirmed: isConfirmed } = row;
  request.caller = { tokenId, abilities, user: row, sessionToken, isConfirmed };
  services.tokenUse.note(row.token_id, row.last_used_at);
};

/**
 * 403 for a suspended or closed account, for a token without the ability, for a caller who is not an operator, and for
 * one whose role is too low.
 */
export const assertAllowed = (
  { abilities, user }: Caller,
  route: Pick<RouteContract, 'auth' | 'ability' | 'method' | 'role'>,
): void => {
  const { auth, ability } = route;
  if (user.status !== AccountStatus.ACTIVE) throw new AppError('account_suspended');
  if (ability && !hasAbility(abilities, ability)) throw new AppError('missing_ability');
  if (auth !== 'operator') return;
  if (!user.is_operator) throw new AppError('operator_only');
  if (!hasRole(user.role, toNeededRole(route))) throw new AppError('missing_role');
};

/** 403 for a session whose user has to give the password first. */
export const assertConfirmed = (
  { sessionToken, isConfirmed, user }: Caller,
  { needsConfirmation: needed }: Pick<RouteContract, 'needsConfirmation'>,
  { headers, body }: FastifyRequest,
): void => {
  if (needed === undefined || sessionToken === null || isConfirmed) return;
  const asked = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const request = { body: asked, accept: headers.accept ?? '', isOperator: user.is_operator };
  if (needed === true || needed(request)) throw new AppError('password_required');
};

/** Finds the host of an agent's credential. Heartbeats, the bulk of agents' calls, are looked up in batches. */
export const authenticateHost = async (
  { identities }: Pick<IdentityServices, 'identities'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const match = HOST_CREDENTIAL.exec(findBearer(request) ?? '');
  if (!match?.[1] || !match[2] || !isSecret(match[2])) return refuse(reply);
  const isHeartbeat = request.routeOptions.config.contract === agentRoutes.heartbeat;
  const host = await (isHeartbeat ? identities.findBeatingHost(match[1]) : identities.findHost(match[1]));
  if (!host?.credential_hash || !isSecretOf(match[2], host.credential_hash)) return refuse(reply);
  request.callingHost = { id: host.id, name: host.name, regionId: host.region_id, sessionId: host.session_id };
};
