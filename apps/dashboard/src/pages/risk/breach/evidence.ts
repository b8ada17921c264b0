/**
 * What the lines of a breach's evidence say, as its page shows it. The server's own lines have a shape; what a host says is
 * read field by field, and what is no such thing is left out. Pure.
 */
import type { EvidenceLine, RiskBreach, RiskRule } from '@berth/client';
import type { RuleTerms } from '../rule-words.ts';

export type Body = Readonly<Record<string, unknown>>;

export const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
export const toNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
export const toBody = (value: unknown): Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};

const find = (lines: readonly EvidenceLine[], kind: EvidenceLine['kind'], source: EvidenceLine['source']) =>
  lines.findLast((line) => line.kind === kind && line.source === source)?.body;

/** The server's header. */
export interface Header {
  breach: { id: string; value: string; limit: string };
  terminal: { id: string; name: string; platform: string | null; login: string | null; server: string | null };
  builds: { server: string; agent: string | null };
  host: { id: string; clock_offset_ms: number | null };
  times: {
    decided_at: string;
    reported_at: string;
    day_began_at: string;
    day_starts: string | null;
    time_zone: string | null;
  };
}

type Outcome = Pick<
  RiskBreach,
  'phase' | 'first_order_ms' | 'closed' | 'total' | 'left_open' | 'actions' | 'experts' | 'ended_at'
> & { kept: { is_complete: boolean } };

export interface Evidence {
  header: Header;
  /** As the list of breaches has it. */
  breach: RiskBreach;
  isComplete: boolean;
  lines: readonly EvidenceLine[];
}

/** Undefined where the lines are not those of a breach. */
export const toEvidence = (lines: readonly EvidenceLine[]): Evidence | undefined => {
  const header = find(lines, 'header', 'server') as Header | undefined;
  const rule = find(lines, 'rule', 'server') as
    (Pick<RiskRule, 'id' | 'name' | 'kind'> & { version?: number }) | undefined;
  const end = find(lines, 'end', 'server') as Outcome | undefined;
  if (!header || !rule || !end) return undefined;
  const { kept, ...outcome } = end;
  const breach: RiskBreach = {
    ...{ ...header.breach, rule_id: rule.id, rule_name: rule.name, kind: rule.kind },
    rule_version: toNumber(find(lines, 'decision', 'host')?.rule_version) ?? rule.version ?? null,
    ...{ terminal_id: header.terminal.id, terminal_name: header.terminal.name },
    ...{ at: header.times.reported_at, decided_at: header.times.decided_at },
    ...{ phase: outcome.phase, first_order_ms: outcome.first_order_ms, closed: outcome.closed, total: outcome.total },
    ...{ left_open: outcome.left_open, actions: outcome.actions, experts: outcome.experts, ended_at: outcome.ended_at },
  };
  return { header, breach, isComplete: kept.is_complete, lines };
};

/** What the terminal showed at a moment. */
export interface Report {
  n: number;
  /** Since the decision; below 0 before it. */
  afterMs: number;
  equity: string;
  body: Body;
}

export const listReports = ({ lines, breach }: Evidence): Report[] => {
  const decided = Date.parse(breach.decided_at);
  return lines.flatMap(({ n, at, kind, body }) => {
    const equity = toText(body.equity);
    if (kind !== 'numbers' || equity === undefined || !/^-?\d+(\.\d+)?$/.test(equity)) return [];
    return [{ n, afterMs: Date.parse(at) - (toNumber(body.age_ms) ?? 0) - decided, equity, body }];
  });
};

/** Lines of these kinds with their time since the decision. */
export const listLines = (
  { lines, breach }: Evidence,
  ...kinds: EvidenceLine['kind'][]
): (EvidenceLine & { afterMs: number })[] =>
  lines
    .filter(({ kind }) => kinds.includes(kind))
    .map((line) => ({ ...line, afterMs: Date.parse(line.at) - Date.parse(breach.decided_at) }));

/** Who made a version of a rule, or unlocked. */
export interface Actor {
  is_session: boolean;
}

/** A version of the rule, as the server has kept it; `rule` is null where it was deleted. */
export interface Version {
  version: number;
  since: string;
  by: Actor | null;
  rule: (RuleTerms & Body) | null;
}

/** The version that decided; undefined where the server does not know it. */
export const toVersion = ({ lines }: Evidence): Version | undefined => {
  const found = find(lines, 'rule', 'server') as Partial<Version> | undefined;
  return found?.rule ? (found as Version) : undefined;
};

export const listVersions = ({ lines }: Evidence): (Version & { n: number })[] =>
  lines
    .filter(({ kind, source }) => kind === 'rule_changed' && source === 'server')
    .map(({ n, body }) => ({ ...(body as unknown as Version), n }));

/** What of a version is another than in the one that decided: the settings, and what they are in it. */
export const listDifferences = ({ rule: decided }: Version, { rule }: Version): [string, string][] =>
  Object.entries(rule ?? {})
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(decided?.[name]))
    .map(([name, value]) => [name.replaceAll('_', ' '), typeof value === 'string' ? value : JSON.stringify(value)]);

/** What the rule had measured. */
export const toMarks = ({ lines }: Evidence): Body => find(lines, 'marks', 'host') ?? {};
