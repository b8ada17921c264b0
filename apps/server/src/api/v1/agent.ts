/** The server's side of the agent protocol. An agent's input is untrusted, and may only concern its own host. */
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { agentRoutes } from '@berth/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { recordAudit, systemActor } from '../../audit/record.ts';
import type { Queryable, Transaction } from '../../db/database.ts';
import { createId } from '../../db/ids.ts';
import { AppError } from '../../errors.ts';
import { insertFile, readSlices, SCREENSHOT_LIFETIME_MS } from '../../files/files.ts';
import { toQuotaBytes } from '../../storage/budget.ts';
import { findFileOfTask, reserveUpload, type PayloadFile } from '../../files/task-files.ts';
import { toReportedFacts } from '../../hosts/facts.ts';
import { parseJoinToken } from '../../hosts/join-tokens.ts';
import { enrolHost } from '../../hosts/queries.ts';
import { EvidenceIntake } from '../../risk/evidence/intake.ts';
import { RiskReports } from '../../risk/reports.ts';
import { createSecret, toSecretHash } from '../../secrets/token-secret.ts';
import { onAnswerEnd } from '../http/answer-end.ts';
import { createFileLinks } from '../http/public-url.ts';
import { registerRoute, type RouteContext } from '../http/route.ts';
import { readGuardRules } from '../../risk/states.ts';
import { listDueChecks } from '../../tasks/switch-checks.ts';
import { AgentCalls, assertSession } from './agent-calls.ts';

const registerEnrolment = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, agentRoutes.enrol, {
    handle: async ({ body, reply, request }) => {
      const joinToken = parseJoinToken(body.join_token);
      const secret = createSecret();
      const facts = toReportedFacts(body.facts);
      const host = { id: createId(), platforms: body.platforms, credentialHash: toSecretHash(secret), facts };
      const enrol = async (tx: Transaction) => {
        const made = joinToken && (await enrolHost(tx, joinToken, host));
        if (!made) return undefined;
        const after = {
          name: made.name,
          region: made.region_id,
          platforms: host.platforms,
          join_token_id: joinToken.id,
        };
        const target = { type: 'host', id: made.id };
        await recordAudit(tx, { ...systemActor, address: request.ip }, { action: 'host.enrol', target, after });
        return made;
      };
      const enrolled = joinToken && (await services.db.transaction(enrol));
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
};

/** A hint beside tasks that were handed out already: if it cannot be read, the host is asked again. */
const findDueChecks = async ({ db, log }: RouteContext['services'], hostId: string): Promise<string[]> => {
  try {
    return await listDueChecks(db, hostId);
  } catch (error) {
    log.warn({ err: error, hostId }, 'a host could not be asked for checks; it will be again');
    return [];
  }
};

const registerCalls = (context: RouteContext): void => {
  const { services } = context;
  const calls = new AgentCalls(services);
  services.hostNews.onNews((hostId, kind) => calls.noteNews(hostId, kind));

  registerRoute(context, agentRoutes.startSession, {
    handle: async ({ body, host }) => {
      const { session_id: id, agent_version: agentVersion, platforms, facts } = body;
      const session = { id, agentVersion, platforms, facts };
      return { session_id: session.id, terminals: await calls.startSession(host, session) };
    },
  });

  registerRoute(context, agentRoutes.heartbeat, {
    handle: async ({ body, host }) => ({
      session_id: body.session_id,
      ...(await calls.heartbeat(host, body.session_id, body.tasks, body)),
    }),
  });

  registerRoute(context, agentRoutes.claim, {
    handle: async ({ body, host, reply }) => {
      const wanted = { slots: body.slots, waitMs: body.wait_ms, known: body.known };
      const onEnd = (callback: () => void) => onAnswerEnd(reply.raw, callback);
      const tasks = await calls.claim(host, body.session_id, wanted, onEnd);
      const news = calls.takeNews(host.id);
      const checks = news.has('checks') ? await findDueChecks(services, host.id) : [];
      return {
        session_id: body.session_id,
        tasks,
        ...(news.has('risk') ? { risk_changed: true } : {}),
        ...(checks.length > 0 ? { checks } : {}),
      };
    },
  });

  registerRoute(context, agentRoutes.report, {
    handle: async ({ body, host }) => ({
      session_id: body.session_id,
      verdicts: await calls.report(host, body.session_id, body.events),
    }),
  });

  registerRoute(context, agentRoutes.sendSamples, {
    handle: async ({ body, host }) => ({
      session_id: body.session_id,
      taken: await calls.takeSamples(host, body.session_id, body.samples),
    }),
  });

  registerRoute(context, agentRoutes.sendAccounts, {
    handle: async ({ body, host }) => ({
      session_id: body.session_id,
      ...(await calls.takeAccounts(host, body.session_id, body.terminals)),
    }),
  });

  registerRoute(context, agentRoutes.sendCharts, {
    handle: async ({ body, host }) => ({
      session_id: body.session_id,
      too_soon: await calls.takeCharts(host, body.session_id, body.terminals),
    }),
  });

  registerRoute(context, agentRoutes.reportChecks, {
    handle: async ({ body, host }) => ({
      session_id: body.session_id,
      taken: await calls.takeChecks(host, body.session_id, body.checks),
    }),
  });
};

const registerRisk = (context: RouteContext): void => {
  const { services } = context;
  const reports = new RiskReports(services);
  const evidence = new EvidenceIntake(services);

  registerRoute(context, agentRoutes.readRiskRules, {
    handle: async ({ body, host }) => {
      assertSession(host, body.session_id);
      const rules = await readGuardRules(services.db.slowFor(host.id), host.id, body.settings ?? 1);
      return { session_id: body.session_id, ...rules };
    },
  });

  registerRoute(context, agentRoutes.reportRisk, {
    handle: async ({ body, host }) => {
      assertSession(host, body.session_id);
      return { session_id: body.session_id, acknowledged: await reports.add(host.id, body) };
    },
  });

  registerRoute(context, agentRoutes.sendEvidence, {
    handle: async ({ body, host }) => {
      assertSession(host, body.session_id);
      return { session_id: body.session_id, last_line: await evidence.add(host.id, body) };
    },
  });
};

/** The requested start offset; 0 unless the range continues this very content. Other ranges are not supported. */
const toStart = ({ range, 'if-range': ifRange }: IncomingHttpHeaders, etag: string, sizeBytes: number): number => {
  const from = Number(/^bytes=(\d{1,12})-$/.exec(range ?? '')?.[1] ?? 0);
  return ifRange === etag && from < sizeBytes ? from : 0;
};

/** Sends a file to a host with its hash as a strong tag, resuming where an earlier answer broke off. */
const sendTaskFile = (db: Queryable, { headers }: FastifyRequest, reply: FastifyReply, file: PayloadFile): Buffer => {
  const etag = `"${file.sha256}"`;
  const from = toStart(headers, etag, file.size);
  reply.headers({ etag, 'accept-ranges': 'bytes', 'content-length': file.size - from });
  if (from > 0) reply.code(206).header('content-range', `bytes ${from}-${file.size - 1}/${file.size}`);
  const content = Readable.from(readSlices(db, file.user_id, file, from), { objectMode: false });
  return reply.type('application/octet-stream').send(content) as unknown as Buffer;
};

const registerFileRoutes = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, agentRoutes.getFile, {
    handle: async ({ params, host, request, reply }) => {
      const file = await findFileOfTask(services.db, host.id, params.task_id, params.file_id);
      if (!file) throw AppError.notFound('File');
      return sendTaskFile(services.db.slowFor(host.id), request, reply, file);
    },
  });

  registerRoute(context, agentRoutes.createFile, {
    handle: async ({ params, query, body, host, request }) => {
      const reservation = { taskId: params.task_id, fence: query.fence, sizeBytes: body.length };
      const owner = await reserveUpload(services.db.slowFor(host.id), host.id, reservation);
      if (!owner) throw AppError.notFound('Task');
      const isAutomatic = owner.automatic_ms !== null;
      const quotaBytes = toQuotaBytes(services.config, owner);
      const upload = {
        userId: owner.user_id,
        taskId: params.task_id,
        name: query.name,
        content: body,
        lifetimeMs: owner.automatic_ms ?? SCREENSHOT_LIFETIME_MS,
        // Automatic screenshots never use up the storage that users need for their EAs and their own screenshots.
        quotaBytes: isAutomatic ? quotaBytes / 2 : quotaBytes,
      };
      const file = await services.db.transactionFor(host.id, (tx) => insertFile(tx, upload));
      return { file, url: createFileLinks(request, services.config)(file.id) };
    },
  });
};

export const registerAgentRoutes = (context: RouteContext): void => {
  registerEnrolment(context);
  registerCalls(context);
  registerRisk(context);
  registerFileRoutes(context);
};
