import type { ApiPromise } from '../http/api-promise.ts';
import { toPath, type Call } from '../http/call.ts';
import { toUnexpected } from '../http/response.ts';
import { List } from '../list.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import type {
  EvidenceLine,
  NewRiskRule,
  RiskBreach,
  RiskBreachPage,
  RiskBreachQuery,
  RiskRule,
  RiskRuleChanges,
  RiskRulePage,
  RiskRuleQuery,
  RiskState,
  RiskStatePage,
  RiskStateQuery,
  RiskTrial,
  RiskTrialRequest,
} from '../types.ts';
import { Group } from './group.ts';

const RULES = '/v1/my/risk-rules';

const toCall =
  (method: Call['method'], id: string, rest: string, more: Partial<Call> = {}) =>
  () => ({
    method,
    path: RULES + toPath`/${id}` + rest,
    ...more,
  });

/**
 * Rules that act on terminals by themselves, on their hosts. Amounts are decimal strings.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const rule = { name: 'Daily loss', kind: 'daily_loss', percent: 3, all: true, actions: ['notify'] } as const;
 * const { id } = await berth.riskRules.create({ ...rule, actions: [...rule.actions] });
 * for await (const { terminal_id, used, limit } of berth.riskRules.states(id)) console.log(terminal_id, used, limit);
 */
export class RiskRules extends Group {
  /** All rules, oldest first. */
  list(options?: CallOptions): List<RiskRule> {
    return new List(({ after, per_page }) => this.page({ after, per_page }, options));
  }

  /** One page of them. */
  page(query: RiskRuleQuery = {}, options?: CallOptions): ApiPromise<RiskRulePage> {
    return this.transport.json({ method: 'GET', path: RULES, query, options }, 'anything');
  }

  /** Creates a rule; the hosts of its terminals watch from then on. */
  create(body: NewRiskRule, options?: CreateOptions): ApiPromise<RiskRule> {
    return this.transport.data({ method: 'POST', post: 'keyed', path: RULES, body, options });
  }

  /** One rule. */
  get(id: string, options?: CallOptions): ApiPromise<RiskRule> {
    return this.transport.data(toCall('GET', id, '', { options }));
  }

  /** Changes it; what it has measured so far stays. */
  update(id: string, body: RiskRuleChanges, options?: CallOptions): ApiPromise<RiskRule> {
    return this.transport.data(toCall('PATCH', id, '', { body, options }));
  }

  /** Deletes it; its breaches stay. */
  delete(id: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(toCall('DELETE', id, '', { options }));
  }

  /** How it fares at each of its terminals. */
  states(id: string, options?: CallOptions): List<RiskState> {
    return new List(({ after, per_page }) => this.pageOfStates(id, { after, per_page }, options));
  }

  /** One page of that. */
  pageOfStates(id: string, query: RiskStateQuery = {}, options?: CallOptions): ApiPromise<RiskStatePage> {
    return this.transport.json(toCall('GET', id, '/state', { query, options }), 'anything');
  }

  /** Says on which days of the past a rule would have acted. Nothing is created. */
  try(body: RiskTrialRequest, options?: CallOptions): ApiPromise<RiskTrial[]> {
    return this.transport.data({ method: 'POST', post: 'same', path: `${RULES}/try`, body, options }, 'list');
  }
}

/** What was seen, decided, done and left in a breach. */
export interface BreachEvidence {
  /** One JSON object per line: keep it as it is, because its hashes are of this text. */
  text: string;
  /** The same, line by line. */
  lines: EvidenceLine[];
}

/**
 * Limits that were reached, and what was done.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * for await (const { rule_name, at, actions } of berth.riskBreaches.list()) console.log(rule_name, at, actions);
 */
export class RiskBreaches extends Group {
  /** All breaches, newest first. */
  list(query: Omit<RiskBreachQuery, 'after' | 'per_page'> = {}, options?: CallOptions): List<RiskBreach> {
    return new List(({ after, per_page }) => this.page({ ...query, after, per_page }, options));
  }

  /** One page of them. */
  page(query: RiskBreachQuery = {}, options?: CallOptions): ApiPromise<RiskBreachPage> {
    return this.transport.json({ method: 'GET', path: '/v1/my/risk-breaches', query, options }, 'anything');
  }

  /** What was seen, decided, done and left, each line chained to the one before by its hash. */
  evidence(id: string, options?: CallOptions): ApiPromise<BreachEvidence> {
    const call = () => ({ method: 'GET', path: toPath`/v1/my/risk-breaches/${id}/evidence`, options }) as const;
    return this.transport.bytes(call, (response, name) => {
      if (!response.headers.get('content-type')?.startsWith('application/jsonl')) throw toUnexpected(response, name);
      const text = new TextDecoder().decode(response.bytes);
      const lines = text.split('\n').filter((line) => line !== '');
      return { text, lines: lines.map((line) => JSON.parse(line) as EvidenceLine) };
    });
  }
}
