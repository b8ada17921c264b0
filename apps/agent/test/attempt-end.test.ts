import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TaskStep } from '@berth/contract';
import { toRecordedEnd, type AbortCause, OutcomeSeal } from '../src/attempts/attempt-end.ts';

const aStep = (given: Partial<TaskStep> = {}): TaskStep => ({
  step: 'work',
  ok: true,
  code: null,
  message: '',
  at: '2026-01-01T00:00:00.000Z',
  data: {},
  ...given,
});
const causes: (AbortCause | undefined)[] = ['deadline', 'revoked', 'stopping', undefined];
const text = fc.string({ unit: 'binary', maxLength: 3_000 });
const steps = fc.array(fc.record({ step: text, message: text, at: text, data: fc.dictionary(text, text) }).map(aStep), {
  maxLength: 80,
});

test('the end of an attempt is what the driver said when nothing cut it short', () => {
  expect(toRecordedEnd({ kind: 'completed', steps: [aStep()] }, undefined, 7)).toEqual({
    kind: 'completed',
    steps: [aStep()],
    atMs: 7,
  });
});

test.each([
  ['completed', 'deadline', 'completed'],
  ['completed', 'stopping', 'completed'],
  ['completed', 'revoked', undefined],
  ['failed', 'stopping', 'interrupted'],
  ['failed', 'deadline', 'timed_out'],
  ['failed', 'revoked', undefined],
] as const)('the end of an attempt: %s after the abort for %s counts as %s', (kind, cause, end) => {
  expect(toRecordedEnd({ kind, steps: [aStep()] }, cause, 0)?.kind).toBe(end);
});

test('the end of an attempt always fits the protocol and the database, whatever the driver put into its steps', () => {
  fc.assert(
    fc.property(steps, fc.constantFrom(...causes), (given, cause) => {
      const end = toRecordedEnd({ kind: 'failed', steps: given }, cause, 0);
      const stated = end && end.kind !== 'interrupted' ? end.steps : [];
      const json = JSON.stringify(stated);
      expect(json).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/);
      expect(Buffer.byteLength(json)).toBeLessThan(1024 * 1024);
      expect(stated.length).toBeLessThanOrEqual(64);
      for (const step of stated) {
        expect(step.step.length).toBeLessThanOrEqual(64);
        expect(step.message.length).toBeLessThanOrEqual(2_000);
      }
    }),
    { numRuns: 50 },
  );
});

test('the end of an attempt with a result too large to report is a failure that says so', () => {
  const large = aStep({ data: { lines: 'x'.repeat(2_000_000) } });
  const end = toRecordedEnd({ kind: 'completed', steps: [large] }, undefined, 0);
  expect(end).toMatchObject({ kind: 'failed', steps: [{ code: 'E_INTERNAL' }] });
});

const key = { taskId: 'a', fence: 1 };
const sealed = new OutcomeSeal('credential').seal(key, { password: 'secret' });

test('the seal opens with the same credential for the same attempt only', () => {
  expect(new OutcomeSeal('credential').open(key, sealed)).toEqual({ password: 'secret' });
  expect(new OutcomeSeal('another').open(key, sealed)).toBeUndefined();
  expect(new OutcomeSeal('credential').open({ ...key, fence: 2 }, sealed)).toBeUndefined();
  expect(Buffer.from(sealed, 'base64').includes('secret')).toBe(false);
});
