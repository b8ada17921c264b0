import type { RouteContract } from '@berth/contract';
import type { FastifyRequest } from 'fastify';
import type { User } from '../../tokens/callers.ts';
import type { CallingHost } from '../../hosts/queries.ts';
import type { Actor as AuditActor } from '../../audit/record.ts';
import type { ActingOperator } from '../../operation/acting-operator.ts';
import type { Actor } from '../../risk/rule-versions.ts';

/** Who makes a request, from its token or session. */
export interface Caller {
  tokenId: number;
  abilities: string[];
  user: User;
  /** Of a browser that sent its session cookie; null: a token was used. */
  sessionToken: string | null;
  /** The password was given in the session within the last minutes. */
  isConfirmed: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    callingHost: CallingHost | null;
  }
  interface FastifyContextConfig {
    contract?: RouteContract;
  }
}

/** @throws a plain error when the route was not registered with `auth: 'user'`, which is a bug */
export const getCaller = (request: FastifyRequest): Caller => {
  if (!request.caller) throw new Error(`no caller on ${request.routeOptions.url ?? 'an unknown route'}`);
  return request.caller;
};

/** As it is kept with what the caller changed. */
export const toActor = ({ user, tokenId, sessionToken }: Caller): Actor => ({
  user_id: user.id,
  token_id: tokenId,
  is_session: sessionToken !== null,
});

/** The same, as the audit log has it. An operator acts as one only on routes of operators. */
export const toAuditActor = (request: FastifyRequest, auth: RouteContract['auth']): AuditActor => {
  const { user, tokenId, sessionToken } = getCaller(request);
  const isSession = sessionToken !== null;
  return {
    kind: auth === 'operator' ? 'operator' : 'user',
    userId: user.id,
    tokenId: isSession ? null : tokenId,
    sessionId: isSession ? tokenId : null,
    address: request.ip,
  };
};

/** As what operators change asks for it. */
export const toActingOperator = ({ caller, actor }: { caller: Caller; actor: AuditActor }): ActingOperator => {
  return { actor, user: caller.user };
};

export const getCallingHost = (request: FastifyRequest): CallingHost => {
  if (!request.callingHost) throw new Error(`no host on ${request.routeOptions.url ?? 'an unknown route'}`);
  return request.callingHost;
};
