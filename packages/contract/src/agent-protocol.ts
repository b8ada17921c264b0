/**
 * The protocol between agents and the server. An agent only makes outgoing connections. Every call but `enrol` carries
 * `Authorization: Bearer <host id>|<secret>`; every call but those that transfer files names the agent's session (an
 * upload names the fence of its attempt instead), and a call of a superseded session is answered 409
 * `session_superseded`, which is fatal for that agent: another one holds the host's identity now.
 */
import { host, reporting, session_id, SessionId } from './agent-calls.ts';
import { ReportedAccount, ReportedCharts, Sample } from './agent-reports.ts';
import {
  eventVerdicts,
  MAX_ATTEMPTS_IN_HAND,
  MAX_CLAIM_WAIT_MS,
  MAX_LEFT_TERMINALS,
  MAX_REPORT_EVENTS,
} from './agent-limits.ts';
import { HostFacts } from './hosts/facts.ts';
import { hostRiskRoutes } from './risk/host-routes.ts';
import { defineRoute } from './routes/route.ts';
import { StoredFile } from './resources.ts';
import { AnyObject, Line, OneOf, OneOfNumbers, Type, Uuid, type Static } from './schema.ts';
import { tradingFields } from './tasks/facts.ts';
import { stepCodes, taskTypes, type StepCode } from './tasks/types.ts';
import { observableStatuses, terminalStatuses } from './terminals/machine.ts';
import { platforms } from './terminals/values.ts';
import { MAX_TERMINALS_REPORTED } from './terminals/charts.ts';
import { ProcessExit } from './terminals/process-exit.ts';
import { MAX_SAMPLES } from './terminals/samples.ts';
import { DealCursor } from './trading/account.ts';
import { accountRefusals, MAX_ACCOUNTS_REPORTED, MAX_SWITCH_CHECKS } from './trading/limits.ts';
import { SwitchCheck } from './trading/switch-check.ts';

/** Differs from the one before when the risk rules of the host's terminals have changed. */
const risk_version = Type.Optional(Type.Integer({ description: 'Of the risk rules of its terminals' }));
const Platforms = Type.Array(OneOf(platforms), { minItems: 1, maxItems: platforms.length });
const Fence = Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Attempt number of the delivery' });
const Instant = Type.Integer({
  minimum: 0,
  maximum: 9_000_000_000_000_000,
  description: "Unix milliseconds, host's clock",
});

/** A terminal as its host must keep it. */
export const WantedTerminal = Type.Object({
  id: Uuid('Terminal'),
  platform: OneOf(platforms),
  status: OneOfNumbers(terminalStatuses, { description: 'What the server believes' }),
  server_name: Type.String(),
  login: Type.String(),
});
export type WantedTerminal = Static<typeof WantedTerminal>;

export const DeliveredTask = Type.Object({
  id: Uuid('Task'),
  fence: Fence,
  type: OneOfNumbers(taskTypes, { description: 'A newer server may know types that the agent does not' }),
  terminal: WantedTerminal,
  payload: AnyObject('Validated parameters, without secrets'),
  secrets: AnyObject('Only what this task needs: `password`'),
  running_deadline_ms: Type.Integer({ description: 'How long the attempt may run' }),
});
export type DeliveredTask = Static<typeof DeliveredTask>;

export const Step = Type.Object({
  step: Type.String({ maxLength: 64 }),
  ok: Type.Boolean(),
  code: Type.Unsafe<StepCode | null>({ type: ['string', 'null'], enum: [...stepCodes, null] }),
  message: Type.String({ maxLength: 2000 }),
  at: Type.String({ maxLength: 40 }),
  data: AnyObject('Facts of the step'),
});

const eventKinds = ['started', 'completed', 'failed', 'timed_out', 'interrupted', 'terminal'] as const;

/** One fact from a host. The order within a batch is the order in which things happened. */
export const AgentEvent = Type.Object({
  kind: OneOf(eventKinds),
  at: Instant,
  /** Of a task, down to `secrets`: all kinds except `terminal`. */
  task_id: Type.Optional(Type.String({ format: 'uuid' })),
  fence: Type.Optional(Fence),
  steps: Type.Optional(Type.Array(Step, { maxItems: 64 })),
  /** Secrets that the attempt obtained (the password of a new demo account); never part of the result. */
  secrets: Type.Optional(Type.Object({ password: Type.Optional(Line({ maxLength: 128 })) })),
  /** Of a terminal, from here on: kind `terminal`. */
  terminal_id: Type.Optional(Type.String({ format: 'uuid' })),
  status: Type.Optional(OneOfNumbers(observableStatuses)),
  reason: Type.Optional(Line({ maxLength: 500 })),
  path: Type.Optional(Line({ maxLength: 1024 })),
  trading_allowed: Type.Optional(tradingFields.trading_allowed),
  trading_reason: Type.Optional(tradingFields.trading_reason),
  /** Its program is not running, although it should. */
  exit: Type.Optional(ProcessExit),
});
export type AgentEvent = Static<typeof AgentEvent>;

const Facts = Type.Optional(HostFacts);

export const agentRoutes = {
  enrol: defineRoute({
    ...host,
    auth: 'none',
    url: '/v1/agent/enrol',
    summary: 'Trade a one-time join token for the credential of a host',
    limit: 'enrolment',
    body: Type.Object({ join_token: Type.String({ maxLength: 200 }), platforms: Platforms, facts: Facts }),
    response: Type.Object({
      host_id: Uuid('Host'),
      credential: Type.String(),
      region: Type.Integer(),
      name: Type.String(),
    }),
  }),
  startSession: defineRoute({
    ...host,
    url: '/v1/agent/session',
    summary: 'Take over the host with a new session; answers what the host must keep',
    body: Type.Object({
      session_id: SessionId,
      agent_version: Line({ maxLength: 64 }),
      platforms: Platforms,
      facts: Facts,
    }),
    response: Type.Object({ session_id, terminals: Type.Array(WantedTerminal) }),
  }),
  heartbeat: defineRoute({
    ...reporting,
    url: '/v1/agent/heartbeat',
    summary: 'Say that the host lives and which attempts it has in hand; renews their leases',
    body: Type.Object({
      session_id: SessionId,
      tasks: Type.Array(Type.Object({ task_id: Uuid('Task'), fence: Fence }), {
        maxItems: MAX_ATTEMPTS_IN_HAND,
      }),
      /** Only when they differ from what this session last reported. */
      facts: Facts,
      removed: Type.Optional(
        Type.Array(Uuid('Terminal'), {
          maxItems: MAX_LEFT_TERMINALS,
          description: 'Of those that an answer named as `left`: what is removed',
        }),
      ),
    }),
    response: Type.Object({
      session_id,
      left: Type.Optional(
        Type.Array(Uuid('Terminal'), { description: 'Terminals that live on other hosts: remove what they left here' }),
      ),
      revoked: Type.Array(Type.String({ description: 'Tasks whose attempt no longer counts: stop them' })),
      resync: Type.Boolean({ description: 'The host was given up for lost: report every terminal again' }),
      risk_version,
    }),
  }),
  claim: defineRoute({
    ...reporting,
    url: '/v1/agent/claim',
    summary: 'Ask for tasks; waits up to `wait_ms` for some',
    body: Type.Object({
      session_id: SessionId,
      slots: Type.Integer({ minimum: 1, maximum: 1000, description: 'How many tasks the agent can take' }),
      wait_ms: Type.Integer({ minimum: 0, maximum: MAX_CLAIM_WAIT_MS }),
      known: Type.Optional(
        Type.Array(Type.Object({ task_id: Uuid('Task'), fence: Fence }), {
          maxItems: MAX_ATTEMPTS_IN_HAND,
          description:
            'Every attempt that the agent has in hand. What was handed out to this session, is not yet started and not ' +
            'among them did not arrive: it is handed out again, as the same attempt. Without the list, nothing is',
        }),
      ),
    }),
    response: Type.Object({
      session_id,
      tasks: Type.Array(DeliveredTask),
      risk_changed: Type.Optional(Type.Boolean({ description: 'The risk rules have changed: read them now' })),
      checks: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: MAX_SWITCH_CHECKS,
          description: 'Terminals: check whether algo trading could be turned off, switch nothing, and report it',
        }),
      ),
    }),
  }),
  report: defineRoute({
    ...reporting,
    url: '/v1/agent/report',
    summary: 'Report what happened; repeat until answered',
    body: Type.Object({
      session_id: SessionId,
      events: Type.Array(AgentEvent, { minItems: 1, maxItems: MAX_REPORT_EVENTS }),
    }),
    response: Type.Object({
      session_id,
      verdicts: Type.Array(OneOf(eventVerdicts), { description: 'One per event, in order' }),
    }),
  }),
  sendSamples: defineRoute({
    ...reporting,
    url: '/v1/agent/samples',
    summary: 'Tell what was measured of terminals just now; what gets lost is not repeated',
    body: Type.Object({
      session_id: SessionId,
      samples: Type.Array(Sample, { minItems: 1, maxItems: MAX_SAMPLES }),
    }),
    response: Type.Object({
      session_id,
      taken: Type.Integer({
        description: 'How many were kept: of terminals on this host, none sooner than 10 s after the one before',
      }),
    }),
  }),
  sendCharts: defineRoute({
    ...reporting,
    url: '/v1/agent/charts',
    summary: 'Tell which charts and experts terminals have, when they changed and from time to time',
    body: Type.Object({
      session_id: SessionId,
      terminals: Type.Array(ReportedCharts, { minItems: 1, maxItems: MAX_TERMINALS_REPORTED }),
    }),
    response: Type.Object({
      session_id,
      too_soon: Type.Array(Type.String(), {
        description: 'Terminals of which the last word is less than a second old: tell theirs again a little later',
      }),
    }),
  }),
  ...hostRiskRoutes,
  sendAccounts: defineRoute({
    ...reporting,
    url: '/v1/agent/accounts',
    summary: 'Report accounts: states as they are now, and deals since the cursor of the server',
    body: Type.Object({
      session_id: SessionId,
      terminals: Type.Array(ReportedAccount, { minItems: 1, maxItems: MAX_ACCOUNTS_REPORTED }),
    }),
    response: Type.Object({
      session_id,
      too_soon: Type.Array(Type.String(), {
        description: 'Terminals of which the last state is less than a second old: send a newer one a little later',
      }),
      refused: Type.Array(Type.Object({ terminal_id: Type.String(), reason: OneOf(accountRefusals) }), {
        description: 'What was not taken, and why: a state or deals. Whatever else was sent of the terminal was',
      }),
      cursors: Type.Array(DealCursor, {
        description:
          'How far the deals go that the server has: of each terminal of which deals, or neither deals nor a state, were ' +
          'sent, and of each whose `last_deal` is not the last one that the server has. Send those after it',
      }),
    }),
  }),
  reportChecks: defineRoute({
    ...reporting,
    url: '/v1/agent/checks',
    summary: 'Report on which terminals algo trading could be turned off; what gets lost is asked for again',
    body: Type.Object({
      session_id: SessionId,
      checks: Type.Array(SwitchCheck, { minItems: 1, maxItems: MAX_SWITCH_CHECKS }),
    }),
    response: Type.Object({ session_id, taken: Type.Integer({ description: 'Those of terminals on this host' }) }),
  }),
  getFile: defineRoute({
    ...host,
    method: 'GET',
    url: '/v1/agent/tasks/:task_id/files/:file_id',
    summary: 'Download a file that a task in hand refers to',
    response: Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }),
  }),
  createFile: defineRoute({
    ...host,
    url: '/v1/agent/tasks/:task_id/files',
    summary: 'Upload a file (raw body) that a task in hand produced',
    isRawBody: true,
    query: Type.Object({ name: Type.String({ minLength: 1, maxLength: 255, singleLine: true }), fence: Fence }),
    response: Type.Object({ file: StoredFile, url: Type.String() }),
  }),
};
