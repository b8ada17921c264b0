/** The server's side of the agent protocol. What an agent says is taken as the word of a stranger about its own host only. */
import type { ServerResponse } from 'node:http';
import { agentRoutes, type DeliveredTask } from '@berth/contract';
import { v7 as createId } from 'uuid';
import { insertFile, SCREENSHOT_LIFETIME_MS } from '../files/files.ts';
import type { CallingHost } from '../http/caller.ts';
import { AppError } from '../http/errors.ts';
import { toPublicUrl } from '../http/public-url.ts';
import { registerRoute, type RouteContext } from '../http/route.ts';
import type { Services } from '../services.ts';
import { TaskClaims } from '../tasks/claims.ts';
import { TaskReports } from '../tasks/reports.ts';
import { createSecret, toSecretHash } from '../tokens/token-secret.ts';
import { Heartbeats } from './heartbeats.ts';
import { parseJoinToken } from './join-tokens.ts';
import { enrolHost, listWantedTerminals, startSession } from './queries.ts';
import { findFileOfTask, findTaskInHand } from './task-files.ts';

const assertSession = (host: CallingHost, sessionId: string): void => {
  if (host.sessionId !== sessionId) throw new AppError('session_superseded');
};

/** Claims until there is something, `waitMs` are over, the caller hangs up, or the server stops. */
const claimWithin = async (
  { wakeups, stopping, clock }: Services,
  claims: TaskClaims,
  claim: { hostId: string; slots: number },
  waitMs: number,
  connection: ServerResponse,
): Promise<DeliveredTask[]> => {
  const ear = wakeups.listen(claim.hostId);
  let isGone = false;
  connection.once('close', () => {
    isGone = true;
    ear.ring();
  });
  const until = clock.now() + waitMs;
  try {
    for (;;) {
      // Whoever hung up gets nothing: a delivery that nobody reads would have to wait for its deadline.
      const tasks = isGone ? [] : await claims.claim(claim);
      const restMs = until - clock.now();
      if (tasks.length > 0 || restMs <= 0 || isGone || stopping.aborted) return tasks;
      await ear.next(restMs);
    }
  } finally {
    ear.stop();
  }
};

const registerLifeRoutes = (context: RouteContext): void => {
  const { services, limits } = context;
  const heartbeats = new Heartbeats(services.db);

  registerRoute(context, agentRoutes.enrol, {
    limit: limits.enrolment,
    handle: async ({ body, reply }) => {
      const joinToken = parseJoinToken(body.join_token);
      const secret = createSecret();
      const host = { id: createId(), platforms: body.platforms, credentialHash: toSecretHash(secret) };
      const enrolled = joinToken && (await enrolHost(services.db, joinToken, host));
      if (!enrolled) {
        reply.header('www-authenticate', 'Bearer');
        throw new AppError('unauthenticated');
      }
      services.log.info(
        { hostId: enrolled.id, region: enrolled.region_id, host: enrolled.name },
        'a host was enrolled',
      );
      const { id, region_id: region, name } = enrolled;
      return { host_id: id, credential: `${id}|${secret}`, region, name };
    },
  });

  registerRoute(context, agentRoutes.startSession, {
    handle: async ({ body, host }) => {
      const session = { id: body.session_id, agentVersion: body.agent_version, platforms: body.platforms };
      // Terminals that wait for a host are placed by the scheduler's next tick, so that thousands may come back at once.
      return services.db.transaction(async (tx) => {
        await startSession(tx, host.id, session);
        return { terminals: await listWantedTerminals(tx, host.id) };
      });
    },
  });

  registerRoute(context, agentRoutes.heartbeat, {
    handle: ({ body, host }) => {
      assertSession(host, body.session_id);
      return heartbeats.add({ hostId: host.id, attempts: body.tasks });
    },
  });
};

const registerWorkRoutes = (context: RouteContext): void => {
  const { services } = context;
  const claims = new TaskClaims(services.db, services.vault, services.log);
  const reports = new TaskReports(services);

  registerRoute(context, agentRoutes.claim, {
    handle: async ({ body, host, reply }) => {
      assertSession(host, body.session_id);
      const claim = { hostId: host.id, slots: body.slots };
      return { tasks: await claimWithin(services, claims, claim, body.wait_ms, reply.raw) };
    },
  });

  registerRoute(context, agentRoutes.report, {
    handle: async ({ body, host }) => {
      assertSession(host, body.session_id);
      return { verdicts: await reports.add({ hostId: host.id, events: body.events }) };
    },
  });
};

const registerFileRoutes = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, agentRoutes.getFile, {
    handle: async ({ params, host, reply }) => {
      const content = await findFileOfTask(services.db.slow, host.id, params.task_id, params.file_id);
      if (!content) throw AppError.notFound('File');
      return reply.type('application/octet-stream').send(content) as unknown as Buffer;
    },
  });

  registerRoute(context, agentRoutes.createFile, {
    handle: async ({ params, query, body, host, request }) => {
      const task = await findTaskInHand(services.db, host.id, params.task_id, query.fence);
      if (!task) throw AppError.notFound('Task');
      const upload = { userId: task.user_id, name: query.name, content: body, lifetimeMs: SCREENSHOT_LIFETIME_MS };
      const file = await insertFile(services.db.slow, upload);
      return { file, url: toPublicUrl(request, services.config, `/v1/my/files/${file.id}/content`).href };
    },
  });
};

export const registerAgentRoutes = (context: RouteContext): void => {
  registerLifeRoutes(context);
  registerWorkRoutes(context);
  registerFileRoutes(context);
};
