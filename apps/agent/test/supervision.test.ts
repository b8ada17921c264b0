import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decideSupervision,
  newSupervision,
  STABLE_MS,
  type ProcessStatus,
  type Supervision,
} from '../src/terminals/supervision.ts';
import { agentRoutes, isSingleLine, TerminalStatus } from '@berth/contract';
import { systemClock, systemTiming } from '@berth/kit';
import { ReportOutbox } from '../src/server/report-outbox.ts';
import { TerminalObservations } from '../src/terminals/terminal-observations.ts';

const SECOND = 1_000;
const down: ProcessStatus = { shouldRun: true, isAlive: false, isBusy: false };
const up: ProcessStatus = { ...down, isAlive: true };

/** Looks once per second while the terminal dies `livesMs` after each start. @returns when it was started, in ms */
const watch = (livesMs: number, forMs: number): number[] => {
  let known: Supervision = newSupervision;
  let aliveUntil = livesMs;
  const starts: number[] = [];
  for (let now = 0; now < forMs; now += SECOND) {
    const { supervision, shouldRestart } = decideSupervision(known, now < aliveUntil ? up : down, now, () => 1);
    known = supervision;
    if (!shouldRestart) continue;
    starts.push(now);
    aliveUntil = now + livesMs;
  }
  return starts;
};
const gaps = (starts: number[]): number[] => starts.slice(1).map((start, index) => start - (starts[index] ?? 0));

test('supervision starts a terminal at once that should run when the agent comes', () => {
  expect(decideSupervision(newSupervision, down, 5, () => 1).shouldRestart).toBe(true);
});

test('supervision backs off from about 1 s to 60 s while a terminal dies at once', () => {
  const waits = gaps(watch(0, 600 * SECOND));
  expect(waits.slice(0, 6)).toEqual([2, 4, 8, 16, 32, 60].map((seconds) => seconds * SECOND));
  expect(Math.max(...waits)).toBeLessThanOrEqual(60 * SECOND);
});

test('supervision forgets the back-off after five minutes of life', () => {
  const waits = gaps(watch(STABLE_MS + 10 * SECOND, 3_000 * SECOND));
  expect(Math.max(...waits)).toBeLessThanOrEqual(STABLE_MS + 13 * SECOND);
});

test('supervision starts a terminal also when the clock is set back while it waits', () => {
  const start = 10_000 * SECOND;
  const alive = decideSupervision(newSupervision, up, start, () => 1).supervision;
  const waiting = decideSupervision(alive, down, start + SECOND, () => 1);
  expect(waiting.shouldRestart).toBe(false);
  expect(decideSupervision(waiting.supervision, down, start - 3_600 * SECOND, () => 1).shouldRestart).toBe(true);
});

test('supervision counts uptime again from where the clock was set back to', () => {
  const alive = decideSupervision({ ...newSupervision, restarts: 3 }, up, 10_000 * SECOND, () => 1).supervision;
  const setBack = decideSupervision(alive, up, 0, () => 1).supervision;
  expect(decideSupervision(setBack, up, STABLE_MS, () => 1).supervision.restarts).toBe(0);
});

test('supervision never starts a terminal that lives, is busy, or should not run', () => {
  const sight = fc.record({ shouldRun: fc.boolean(), isAlive: fc.boolean(), isBusy: fc.boolean() });
  fc.assert(
    fc.property(fc.array(fc.tuple(sight, fc.integer({ min: 0, max: 100_000 }))), (looks) => {
      let known: Supervision = newSupervision;
      let now = 0;
      for (const [seen, waitMs] of looks) {
        now += waitMs;
        const { supervision, shouldRestart } = decideSupervision(known, seen, now, () => 0.5);
        known = supervision;
        if (shouldRestart) expect(seen).toEqual(down);
      }
    }),
  );
});

test('supervision notices a death and starts again within five seconds', () => {
  expect(watch(10 * SECOND, 16 * SECOND)[0]).toBeLessThanOrEqual(15 * SECOND);
});

const report = (observation: { reason: string | null; path?: string }) => {
  const outbox = new ReportOutbox(systemTiming);
  new TerminalObservations(outbox, systemClock).report('t', { status: TerminalStatus.DISCONNECTED, ...observation });
  return outbox.peek(1)[0];
};

test('a reason is reported as one line, whatever a broker put into it', () => {
  for (const ending of ['\n', '\0', '\u0085', '\u2028', '\u2029', '\u202e']) {
    const { reason = '' } = report({ reason: `Refused.${ending}Ask${ending}` }) ?? {};
    expect(reason).toBe('Refused. Ask');
    expect(isSingleLine(reason)).toBe(true);
  }
});

test('a path that the protocol cannot carry is left out, so that the status arrives', () => {
  const { path } = agentRoutes.report.body.properties.events.items.properties;
  expect(path).toMatchObject({ singleLine: true, maxLength: 1024 });
  expect(report({ reason: null, path: '/srv/a b' })).toMatchObject({
    status: TerminalStatus.DISCONNECTED,
    path: '/srv/a b',
  });
  for (const bad of ['/srv/a\nb', '/srv/\u2028', `/${'x'.repeat(1024)}`]) {
    expect(report({ reason: null, path: bad })).not.toHaveProperty('path');
  }
});
