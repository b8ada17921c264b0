/** The calls of hosts about risk rules. */
import { host, reporting, session_id, SessionId } from '../agent-calls.ts';
import { defineRoute } from '../routes/route.ts';
import { Type, Uuid } from '../schema.ts';
import { ReportedEvidenceLines } from './evidence-schema.ts';
import { GuardedTerminal, GuardRule, KnownRuleSettings, riskReport } from './host-schema.ts';

export const hostRiskRoutes = {
  readRiskRules: defineRoute({
    ...host,
    url: '/v1/agent/risk-rules',
    summary: 'Read the risk rules of the terminals on the host, and what they have measured so far',
    body: Type.Object({ session_id: SessionId, settings: KnownRuleSettings }),
    response: Type.Object({
      session_id,
      risk_version: Type.Integer({ description: 'Of what is answered' }),
      rules: Type.Array(GuardRule),
      terminals: Type.Array(GuardedTerminal, { description: 'Those to which a rule applies' }),
    }),
  }),
  reportRisk: defineRoute({
    ...reporting,
    url: '/v1/agent/risk',
    summary: 'Report how risk rules fare, what they warn of and what they do; warnings and breaches until acknowledged',
    body: Type.Object({
      session_id: SessionId,
      ...riskReport,
    }),
    response: Type.Object({
      session_id,
      acknowledged: Type.Array(Type.String(), {
        description: 'Warnings and breaches of the call that need not be reported again as they are',
      }),
    }),
  }),
  sendEvidence: defineRoute({
    ...reporting,
    url: '/v1/agent/risk-evidence',
    summary: 'Send what was written down of a breach; what is not acknowledged, again',
    body: Type.Object({
      session_id: SessionId,
      breach_id: Uuid('Breach'),
      sent_at: Type.Integer({
        minimum: 0,
        maximum: 9_000_000_000_000,
        description: "Unix milliseconds, host's clock",
      }),
      lines: ReportedEvidenceLines,
      is_complete: Type.Boolean({ description: 'No line follows' }),
    }),
    response: Type.Object({
      session_id,
      last_line: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'The last line that need not be sent again; 0: none. null: the host has no such breach',
      }),
    }),
  }),
};
