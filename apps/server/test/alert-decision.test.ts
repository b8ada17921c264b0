import { describe, expect, it } from 'vitest';
import { decideRule, type OpenAlert, type RuleState, type Subject, type Wrong } from '../src/alerts/decision.ts';

const MINUTE = 60_000;
const start = Date.parse('2026-01-31T08:00:00Z');

const toWrong = (id: string, since: number): Wrong => ({ subjectId: id, name: id, host: 'h', reason: null, since });

/** Plays a rule through time, as the servers do it: each look gets what the one before wrote. */
const play = (rule: Partial<RuleState['rule']> = {}) => {
  let subjects = new Map<string, Subject>();
  let open: OpenAlert[] = [];
  const openings: number[] = [];
  let count = 0;
  return {
    acknowledge: () => (open = open.map((alert) => ({ ...alert, isAcknowledged: true }))),
    look: (minutes: number, ...wrong: Wrong[]) => {
      const now = start + minutes * MINUTE;
      const decision = decideRule({
        rule: { when: 'terminal_down', for_minutes: 5, remind_every_minutes: null, ...rule },
        now,
        groupMs: 3_000,
        wrong,
        subjects: [...subjects.values()],
        open,
        openings: openings.filter((at) => Math.abs(now - at) < 60 * MINUTE),
        createId: () => `alert ${(count += 1)}`,
      });
      for (const id of decision.gone) subjects.delete(id);
      for (const subject of decision.changed) subjects.set(subject.subjectId, subject);
      open = open.filter(({ id }) => !decision.resolved.includes(id));
      open = open.map((alert) => (decision.reminded.includes(alert.id) ? { ...alert, toldAt: now } : alert));
      if (decision.opened) {
        const { id, tellsAt } = decision.opened;
        open.push({ id, openedAt: now, tellsAt, toldAt: tellsAt, isAcknowledged: false });
        openings.push(now);
      }
      const joined = [...decision.joined].map(([id, all]) => [id, all.map(({ subjectId }) => subjectId).sort()]);
      return { ...decision, joined, dueIn: decision.dueAt === undefined ? undefined : (decision.dueAt - now) / MINUTE };
    },
    forget: () => (subjects = new Map()),
  };
};

it('an alert is opened after its minutes, not before, and asks to be looked at then', () => {
  const rule = play();
  const down = toWrong('a', start);
  expect(rule.look(1, down)).toMatchObject({ joined: [], dueIn: 4 });
  expect(rule.look(4.9, down).opened).toBeUndefined();
  expect(rule.look(5, down)).toMatchObject({ opened: { id: 'alert 1' }, joined: [['alert 1', ['a']]] });
  expect(rule.look(6, down).opened).toBeUndefined();
});

it('an alert has all terminals that went down about then, and a later one has an alert of its own', () => {
  const rule = play();
  const [a, b, c] = [toWrong('a', start), toWrong('b', start + 0.5 * MINUTE), toWrong('c', start + 3 * MINUTE)];
  expect(rule.look(5, a, b, c).joined).toEqual([['alert 1', ['a', 'b']]]);
  expect(rule.look(8, a, b, c).joined).toEqual([['alert 2', ['c']]]);
});

it('an alert takes up what follows before its message is sent', () => {
  const rule = play({ for_minutes: 0 });
  rule.look(0, toWrong('a', start));
  const follower = rule.look(0.01, toWrong('a', start), toWrong('b', start));
  expect(follower).toMatchObject({ joined: [['alert 1', ['b']]] });
  expect(follower.opened).toBeUndefined();
});

it('an alert is one while its terminal goes up and down, and is over when that has settled', () => {
  const rule = play({ for_minutes: 1 });
  const down = toWrong('a', start);
  expect(rule.look(1, down).opened).toBeDefined();
  for (const minutes of [2, 4, 6]) {
    expect(rule.look(minutes)).toMatchObject({ resolved: [] });
    expect(rule.look(minutes + 0.5, down)).toMatchObject({ resolved: [], joined: [] });
  }
  expect(rule.look(8).resolved).toEqual([]);
  // It has flapped three times: one minute has become eight.
  expect(rule.look(15).resolved).toEqual([]);
  expect(rule.look(16.1)).toMatchObject({ resolved: ['alert 1'], dueIn: undefined });
});

it('an alert never begins because of something that was right again in time', () => {
  const rule = play();
  rule.look(0, toWrong('a', start));
  rule.look(3);
  expect(rule.look(9)).toMatchObject({ gone: ['a'], resolved: [], dueIn: undefined });
  expect(rule.look(10, toWrong('a', start + 10 * MINUTE)).opened).toBeUndefined();
});

it('an alert reminds as often as it was asked to, until somebody takes care of it', () => {
  const rule = play({ for_minutes: 0, remind_every_minutes: 30 });
  const down = toWrong('a', start);
  rule.look(0, down);
  expect(rule.look(29, down).reminded).toEqual([]);
  expect(rule.look(31, down).reminded).toEqual(['alert 1']);
  expect(rule.look(40, down).reminded).toEqual([]);
  rule.acknowledge();
  expect(rule.look(90, down)).toMatchObject({ reminded: [], dueIn: undefined });
});

it('an alert of something that happens at a moment is over an hour after the last time', () => {
  const rule = play({ when: 'task_failed', for_minutes: 0 });
  const failed = (minutes: number) => toWrong('a', start + minutes * MINUTE);
  expect(rule.look(0, failed(0)).opened).toBeDefined();
  expect(rule.look(50, failed(50)).opened).toBeUndefined();
  expect(rule.look(70).resolved).toEqual([]);
  expect(rule.look(111).resolved).toEqual(['alert 1']);
  expect(rule.look(112, failed(112)).opened).toMatchObject({ id: 'alert 2' });
});

it('an alert waits where its rule has had ten within the hour, and then tells of all that came since', () => {
  const rule = play({ for_minutes: 0 });
  const all: Wrong[] = [];
  for (let number = 0; number < 10; number += 1) {
    all.push(toWrong(`t${number}`, start + number * MINUTE));
    expect(rule.look(number, ...all).opened).toMatchObject({ isHeld: false });
  }
  all.push(toWrong('u', start + 10 * MINUTE));
  expect(rule.look(10, ...all).opened).toEqual({ id: 'alert 11', isHeld: true, tellsAt: start + 60 * MINUTE });
  for (let number = 0; number < 500; number += 1) all.push(toWrong(`v${number}`, start + 20 * MINUTE));
  const flood = rule.look(20, ...all);
  expect(flood.opened).toBeUndefined();
  expect(flood.joined).toEqual([['alert 11', expect.objectContaining({ length: 500 }) as unknown]]);
});

it('an alert stands a clock that is set back or forward', () => {
  const rule = play({ for_minutes: 1 });
  const down = toWrong('a', start + 60 * MINUTE);
  rule.look(60, down);
  expect(rule.look(61, down).opened).toBeDefined();
  expect(rule.look(0).resolved).toEqual([]);
  expect(rule.look(2).resolved).toEqual(['alert 1']);
});

describe.each([
  ['half an hour', 30],
  ['forty days', 40 * 24 * 60],
])('a clock that was set back by %s', (what, ahead) => {
  it(`a clock that was set back by ${what} puts off the beginning of an alert once, by no more than its minutes`, () => {
    const rule = play();
    const down = toWrong('a', start + ahead * MINUTE);
    rule.look(ahead, down);
    expect(rule.look(0, down).opened).toBeUndefined();
    expect(rule.look(4, down).opened).toBeUndefined();
    expect(rule.look(5, down).opened).toBeDefined();
  });

  it(`a clock that was set back by ${what} puts off the end of an alert once, by no more than it has to last`, () => {
    const rule = play({ for_minutes: 1 });
    rule.look(ahead, toWrong('a', start + ahead * MINUTE));
    expect(rule.look(ahead + 1, toWrong('a', start + ahead * MINUTE)).opened).toBeDefined();
    rule.look(ahead + 1.5);
    expect(rule.look(0).resolved).toEqual([]);
    expect(rule.look(0.9).resolved).toEqual([]);
    expect(rule.look(1).resolved).toEqual(['alert 1']);
  });

  it(`a clock that was set back by ${what} keeps no alert open to what begins later: its message was sent`, () => {
    const rule = play({ for_minutes: 0 });
    const down = toWrong('a', start + ahead * MINUTE);
    rule.look(ahead, down);
    expect(rule.look(0, down, toWrong('b', start))).toMatchObject({
      opened: { id: 'alert 2' },
      joined: [['alert 2', ['b']]],
    });
  });

  it(`a clock that was set back by ${what} puts off no reminder by more than the time between two`, () => {
    const rule = play({ for_minutes: 0, remind_every_minutes: 60 });
    const down = toWrong('a', start + ahead * MINUTE);
    rule.look(ahead, down);
    const reminders = Array.from({ length: 12 }, (_, hours) => rule.look(hours * 60, down).reminded.length);
    expect(reminders.slice(2)).toEqual(Array.from({ length: 10 }, () => 1));
  });

  it(`a clock that was set back by ${what} lets a rule that had its ten alerts wait no longer than an hour`, () => {
    const rule = play({ for_minutes: 0 });
    const all = Array.from({ length: 10 }, (_, number) => toWrong(`t${number}`, start + (ahead + number) * MINUTE));
    for (const [number, one] of all.entries()) rule.look(ahead + number, one);
    const { opened } = rule.look(0, toWrong('u', start));
    expect(opened?.tellsAt).toBeLessThanOrEqual(start + 60 * MINUTE);
  });
});
