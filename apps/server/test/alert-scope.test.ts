import { expect, it } from 'vitest';
import type { Condition } from '../src/alerts/conditions.ts';
import { findWrong } from '../src/alerts/evaluation.ts';
import type { FollowedRule } from '../src/alerts/records.ts';

const TERMINALS = 500;
const ids = Array.from({ length: TERMINALS }, (_, index) => `terminal ${index}`);

const toCondition = (id: string | null): Condition => ({
  ...{ when: 'login_failed', terminal_id: id, project_id: 'p', name: 'n', host: null, reason: null, since: 0 },
});

const toRule = (changes: Partial<FollowedRule>): FollowedRule => ({
  ...{ id: 'r', name: 'r', when: 'login_failed', for_minutes: 0, remind_every_minutes: null, quiet_hours: null },
  ...{ project_id: null, terminal_ids: null, channel_ids: [], changed_at: 0, openings: [] },
  ...changes,
});

const findIds = (rule: FollowedRule, ...wrong: (string | null)[]): string[] =>
  findWrong(rule, wrong.map(toCondition), [], []).map(({ subjectId }) => subjectId);

it('a rule looks at the terminals that it names, and at all where it names none', () => {
  expect(findIds(toRule({ terminal_ids: ['a', 'c'] }), 'a', 'b', 'c', null)).toEqual(['a', 'c']);
  expect(findIds(toRule({}), 'a', 'b', null)).toEqual(['a', 'b', 'r']);
  expect(findIds(toRule({ project_id: 'q' }), 'a', 'b')).toEqual([]);
});

it('a rule reads the list of its terminals once, however much is wrong', () => {
  let reads = 0;
  const get = (target: string[], key: string, receiver: unknown): unknown => {
    if (/^\d+$/.test(String(key))) reads += 1;
    return Reflect.get(target, key, receiver);
  };
  const terminalIds = new Proxy(ids, { get });
  expect(findIds(toRule({ terminal_ids: terminalIds }), ...ids)).toHaveLength(TERMINALS);
  expect(reads).toBeLessThanOrEqual(TERMINALS);
});
