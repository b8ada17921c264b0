/** The form of a rule, the day of a rule, and the evidence of a breach, as the page Risk works them out. */
import type { EvidenceLine, RiskRule } from '@berth/client';
import { describe, expect, test } from 'vitest';
import {
  listDifferences,
  listReports,
  listVersions,
  toEvidence,
  toVersion,
} from '../src/pages/risk/breach/evidence.ts';
import { isSpecial, toDraft, toNewDraft, type RuleDraft } from '../src/pages/risk/rule-draft.ts';
import { presetNames, toPreset } from '../src/pages/risk/rule-presets.ts';
import { toTerms, toValues } from '../src/pages/risk/rule-values.ts';
import { toSentence } from '../src/pages/risk/rule-words.ts';
import { findDayEnd } from '../src/parts/day-end.ts';

const fresh = toNewDraft('Europe/Berlin', []);
const draft: RuleDraft = { ...fresh, name: 'Daily', limit: '5' };

const toSent = (changes: Partial<RuleDraft>): Partial<RiskRule> => {
  const result = toValues({ ...draft, ...changes });
  if ('errors' in result) throw new Error(JSON.stringify(result.errors));
  return result.values as Partial<RiskRule>;
};

describe('the form of a rule', () => {
  test('the settings that are asked for are sent, also those that are rarely set', () => {
    const rare = {
      measure: 'balance',
      dayTrail: 'equity',
      cash: 'ignore',
      buffer: '12,50',
      currency: ' eur ',
    } as const;
    expect(toSent({ ...rare, unit: 'initial', confirm: '2.5', actions: ['lock'], lockUntil: 'next_day' })).toEqual({
      ...{ name: 'Daily', kind: 'daily_loss', all: true, percent: 5, percent_of: 'initial', basis: 'higher' },
      ...{ measure: 'balance', trail: 'equity', cash_flows: 'ignore', buffer: '12.50', currency: 'EUR' },
      ...{ confirm_ms: 2_500, lock_until: 'next_day', day_starts: '00:00', time_zone: 'Europe/Berlin' },
      ...{ warn_percent: 80, actions: ['lock'] },
    });
  });

  test('a setting that counts for another kind of rule is not sent', () => {
    const left = { dayTrail: 'equity', unit: 'initial', cash: 'ignore', buffer: '5', stop: 'amount' } as const;
    const sent = toSent({ ...left, kind: 'max_positions', lockUntil: 'next_day' });
    expect(sent).toEqual({
      ...{ name: 'Daily', kind: 'max_positions', all: true, amount: '5', warn_percent: 80, actions: ['notify'] },
      ...{ day_starts: '00:00', time_zone: 'Europe/Berlin', currency: null, confirm_ms: 0, lock_until: 'unlocked' },
    });
  });

  test.each([
    ['buffer', { buffer: 'x' }],
    ['confirm_ms', { confirm: '61' }],
    ['currency', { currency: 'E' }],
    ['trail_stops_at', { kind: 'trailing_drawdown', stop: 'initial_plus', stopsAt: '' }],
  ] as const)('a wrong %s is said at its field', (field, changes) => {
    expect(toValues({ ...draft, ...changes })).toHaveProperty(`errors.${field}`);
  });

  test('a rule that is read is shown in the form as it is, and sent as it was', () => {
    const sent = { ...toSent({ kind: 'trailing_drawdown', stop: 'initial_plus', stopsAt: '100', buffer: '7' }) };
    const rule = { ...sent, amount: null, terminal_ids: null, project_id: null } as unknown as RiskRule;
    const shown = toDraft(rule);
    expect(isSpecial(shown)).toBe(true);
    expect(toValues(shown)).toEqual({ values: sent });
    expect(isSpecial(fresh)).toBe(false);
  });

  test.each(presetNames)('the preset %s fills a form that can be sent, and is named by what it is', (preset, name) => {
    const filled = toPreset(preset, { ...fresh, scope: 'terminals', terminals: ['one'] }, fresh);
    expect(toValues(filled)).toMatchObject({ values: { name, terminal_ids: ['one'] } });
    expect(toPreset(preset, { ...filled, name: 'Mine' }, fresh).name).toBe('Mine');
  });

  test('the form says in words what the rule will do, also while something is missing', () => {
    const [preset] = presetNames.find(([, name]) => name.startsWith('A pause'))!;
    expect(toSentence(toTerms(toPreset(preset, fresh, fresh)), true)).toBe(
      'When equity is 2% below the day’s start, which counts the higher of balance and equity. ' +
        'Days begin at 00:00, Europe/Berlin. Then it closes everything, turns algo trading off, locks the terminal ' +
        'and notifies you. The lock ends by itself at 00:00, Europe/Berlin.',
    );
    expect(toSentence(toTerms({ ...fresh, kind: 'equity_floor' }), true)).toBe(
      'When equity is … or less, whatever the day. Then it notifies you.',
    );
  });
});

describe('when a day ends', () => {
  test.each([
    ['Europe/Prague', '00:00', '2026-11-23T09:00:00Z', '2026-11-23T23:00:00Z'],
    ['Europe/Prague', '00:00', '2026-10-24T23:00:00Z', '2026-10-25T23:00:00Z'],
    ['America/New_York', '17:00', '2026-03-07T23:00:00Z', '2026-03-08T21:00:00Z'],
    ['America/New_York', '17:00', '2026-03-08T20:59:59Z', '2026-03-08T21:00:00Z'],
    ['Asia/Kolkata', '05:30', '2026-06-01T00:00:00Z', '2026-06-02T00:00:00Z'],
  ])('a day of %s that begins at %s ends after %s at %s', (zone, starts, now, end) => {
    const at = findDayEnd({ day_starts: starts, time_zone: zone }, Date.parse(now));
    expect(at === undefined ? at : new Date(at).toISOString()).toBe(new Date(end).toISOString());
  });

  test('no end of a day is said in a zone that this browser does not know', () => {
    expect(findDayEnd({ day_starts: '00:00', time_zone: 'Mars/Olympus' }, 0)).toBeUndefined();
  });
});

describe('the evidence of a breach', () => {
  const at = '2026-03-02T10:00:00.000Z';
  const toLine = (
    kind: EvidenceLine['kind'],
    source: EvidenceLine['source'],
    body: object,
    when = at,
  ): EvidenceLine => ({
    ...{ n: 1, at: when, source, kind, body: body as EvidenceLine['body'], previous: '', hash: '' },
  });
  const header = toLine('header', 'server', {
    breach: { id: 'one', value: '97490.00', limit: '97500.00' },
    terminal: { id: 'two', name: 'Gold' },
    times: { decided_at: at, reported_at: at },
  });
  const rule = toLine('rule', 'server', {
    id: 'three',
    name: 'Daily',
    kind: 'daily_loss',
    version: 2,
    rule: { percent: 5 },
  });
  const end = toLine('end', 'server', { phase: 'ended', closed: 1, total: 1, kept: { is_complete: true } });

  test('a breach is shown by what the server says, whatever its host says of the same', () => {
    const lies = [toLine('end', 'host', { closed: 9 }), toLine('decision', 'host', { rule_version: '9', value: '1' })];
    const evidence = toEvidence([header, rule, ...lies, end, toLine('header', 'host', { breach: {} })]);
    expect(evidence?.breach).toMatchObject({
      id: 'one',
      rule_name: 'Daily',
      value: '97490.00',
      closed: 1,
      rule_version: 2,
    });
    expect(evidence?.isComplete).toBe(true);
    expect(toEvidence([header, rule])).toBeUndefined();
  });

  test('reports are placed by when the terminal showed them, and those without an equity are left out', () => {
    const numbers = [{ equity: '99.50', age_ms: 400 }, { equity: 'NaN' }, { equity: null }, {}, { equity: '98' }];
    const lines = numbers.map((body) => toLine('numbers', 'host', body, '2026-03-02T10:00:01.000Z'));
    const reports = listReports(toEvidence([header, rule, ...lines, end])!);
    expect(reports.map(({ afterMs, equity }) => [afterMs, equity])).toEqual([
      [600, '99.50'],
      [1_000, '98'],
    ]);
  });

  test('another version of the rule is shown by what differs in it', () => {
    const changed = toLine('rule_changed', 'server', { version: 3, since: at, by: null, rule: { percent: 6 } });
    const evidence = toEvidence([header, rule, changed, end])!;
    const [version] = listVersions(evidence);
    expect(listDifferences(toVersion(evidence)!, version!)).toEqual([['percent', '6']]);
  });
});
