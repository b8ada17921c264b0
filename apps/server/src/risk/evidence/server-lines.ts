/** What the server says in the evidence of a breach: before what its host says, and after it. Pure. */
import { VERSION } from '../../version.ts';
import type { RuleVersion } from '../rule-versions.ts';
import type { NewLine } from './chain.ts';
import type { BreachFacts, EvidenceDeal } from './facts.ts';
import type { EvidenceHead } from './queries.ts';

/** Of what a line contains. */
const FORMAT = 1;
const NOTE =
  'Berth wrote down what the terminal showed and what it did. What was traded, and when, is decided by the server of the broker or the firm.';
/** The newest changes of a rule. */
const MAX_CHANGES = 50;

const toLine = (kind: NewLine['kind'], at: string | Date, body: object): NewLine => ({
  ...{ at: new Date(at), source: 'server', kind },
  body,
});

/** A rule can name 500 terminals; which one a breach is about is in its header. */
const toVersion = ({ version, at, actor: by, rule }: RuleVersion): object => {
  const { terminal_ids: terminals, ...settings } = rule ?? {};
  return { version, since: at, by, rule: rule && { ...settings, terminals: terminals?.length ?? null } };
};

/** The one that decided the breach; of agents that do not say it, the one of that time. */
const findVersion = ({ rule_version, decided_at }: BreachFacts, versions: readonly RuleVersion[]) =>
  versions.find(({ version }) => version === rule_version) ??
  versions.findLast(({ at }) => Date.parse(at) <= Date.parse(decided_at));

export interface OpeningFacts {
  versions: readonly RuleVersion[];
  /** When the rule's day began. */
  dayAt: Date;
  /** By how much the host's clock is ahead, in milliseconds; the time that a call takes is in it. Null: not known. */
  clockOffsetMs: number | null;
}

/** The first two lines. */
export const toOpening = (
  facts: BreachFacts,
  { versions, dayAt, clockOffsetMs }: OpeningFacts,
  now: Date,
): NewLine[] => {
  const { id, decided_at, at, value, limit, time_zone, day_starts, platform, login, server } = facts;
  const header = {
    format: FORMAT,
    note: NOTE,
    breach: { id, value, limit },
    terminal: { id: facts.terminal_id, name: facts.terminal_name, platform, login, server },
    builds: { server: VERSION, agent: facts.agent_version },
    host: { id: facts.host_id, clock_offset_ms: clockOffsetMs },
    times: { decided_at, reported_at: at, day_began_at: dayAt.toISOString(), day_starts, time_zone },
  };
  const { rule_id, rule_name: name, kind, rule_actions: actions } = facts;
  const version = findVersion(facts, versions);
  const rule = { id: rule_id, name, kind, actions, ...(version ? toVersion(version) : {}) };
  return [toLine('header', now, header), toLine('rule', version?.at ?? at, rule)];
};

export interface ClosingFacts {
  versions: readonly RuleVersion[];
  dayAt: Date;
  deals: readonly EvidenceDeal[];
  areDealsCut: boolean;
  head: EvidenceHead | undefined;
}

/** The last lines: by their times, and how it stands now. */
export const toClosing = (facts: BreachFacts, closing: ClosingFacts, now: Date): NewLine[] => {
  const { phase, value, limit, first_order_ms, closed, total, left_open, actions, experts } = facts;
  const { ended_at, released_at, release } = facts;
  const { versions, dayAt, deals, areDealsCut, head } = closing;
  const own = findVersion(facts, versions);
  const changes = versions.filter(
    (each) => each !== own && (Date.parse(each.at) >= dayAt.getTime() || each.version > (own?.version ?? 0)),
  );
  const lines = [
    ...changes.slice(-MAX_CHANGES).map((each) => toLine('rule_changed', each.at, toVersion(each))),
    ...deals.map(({ at, is_cash, deal }) => toLine(is_cash ? 'cash' : 'deal', at, deal)),
    ...(released_at === null ? [] : [toLine('unlock', released_at, release ?? {})]),
  ].sort((one, other) => one.at.getTime() - other.at.getTime());
  const cut = areDealsCut ? [toLine('left_out', now, { what: 'deals', shown: deals.length })] : [];
  const kept = {
    lines: head?.lines ?? 0,
    hash: head?.hash ?? '',
    host_lines_left_out: head?.left_out ?? 0,
    is_complete: head?.is_complete ?? false,
  };
  const outcome = { phase, value, limit, first_order_ms, closed, total, left_open, actions, experts, ended_at };
  return [...lines, ...cut, toLine('end', ended_at ?? now, { ...outcome, kept })];
};
