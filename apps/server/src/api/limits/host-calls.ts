/**
 * How many calls of one host may be in progress at once. Calls of all hosts share statements and the time of this
 * process, so a compromised host that calls far more often than any agent would delay the heartbeats of others until
 * they count as lost.
 */
import { agentRoutes, type RouteContract } from '@berth/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { onAnswerEnd } from '../http/answer-end.ts';
import { getCallingHost } from '../http/caller.ts';

/** An agent has about six, one of each kind; those of a restarted agent may not have ended yet. */
const MAX_CALLS = 16;
const RETRY_AFTER_S = 1;

/** One for each running task, and each has limits of its own. */
const fileRoutes: readonly RouteContract[] = [agentRoutes.getFile, agentRoutes.createFile];

/** Counts a call of a known host until its answer has ended; throws 429 when the host has none left. */
export type HostCallLimiter = (request: FastifyRequest, reply: FastifyReply, route: RouteContract) => void;

export const createHostCallLimiter = (): HostCallLimiter => {
  const counts = new Map<string, number>();
  return (request, reply, route) => {
    if (fileRoutes.includes(route)) return;
    const { id } = getCallingHost(request);
    const count = counts.get(id) ?? 0;
    if (count >= MAX_CALLS) throw new AppError('host_call_limit', { retryAfterSeconds: RETRY_AFTER_S });
    counts.set(id, count + 1);
    onAnswerEnd(reply.raw, () => {
      const left = counts.get(id)! - 1;
      if (left > 0) counts.set(id, left);
      else counts.delete(id);
    });
  };
};
