/** Breaches that hosts hold, what ends them, and whether rules could act: as hosts report it, and owners read it. */
import type { RiskState } from '@berth/contract';
import { waitFor } from '@berth/testing';
import { expect, it } from 'vitest';
import { toBreach, toLocked, toMarks, toState, useRiskScene } from './support/risk-scene.ts';

const { who, createTerminal, request, createRule, report, readGuarded, readBreach, unlock } = useRiskScene();

it('an unlock ends what a rule with a lock holds: its host is told at once, and for as long as the breach stands', async () => {
  const terminal = await createTerminal();
  const { id: rule } = await createRule(terminal, ['close_all', 'lock']);
  const breach = toBreach(terminal, rule, { actions: toLocked(), phase: 'holding' });
  await report({ breaches: [breach], states: [toState(terminal, rule, { marks: toMarks(breach.id) })] });
  const before = await readGuarded(terminal);
  expect(before.released).toEqual([]);
  await unlock(terminal);
  const after = await readGuarded(terminal);
  expect(after.released).toEqual([breach.id]);
  expect(after.version).toBeGreaterThan(before.version);
  // Over on its host, it stands in the marks of its day.
  await report({ breaches: [{ ...breach, phase: 'ended', has_ended: true }] });
  expect((await readGuarded(terminal)).released).toEqual([breach.id]);
  await report({ states: [toState(terminal, rule, { marks: toMarks(null) })] });
  expect((await readGuarded(terminal)).released).toEqual([]);
});

it('an unlock leaves alone what rules without a lock hold, and what other terminals hold', async () => {
  const [terminal, other] = [await createTerminal(), await createTerminal()];
  const { id: locking } = await createRule(terminal, ['close_all', 'lock']);
  const { id: closing } = await createRule(terminal, ['close_all']);
  const { id: others } = await createRule(other, ['close_all', 'lock']);
  const held = toBreach(terminal, closing, { phase: 'holding' });
  const elsewhere = toBreach(other, others, { actions: toLocked(), phase: 'holding' });
  const locked = toBreach(terminal, locking, { actions: toLocked(), phase: 'holding' });
  await report({ breaches: [held, elsewhere, locked] });
  await unlock(terminal);
  expect((await readGuarded(terminal)).released).toEqual([locked.id]);
  expect((await readGuarded(other)).released).toEqual([]);
});

it('a breach says whether its host acts, holds it or has ended it, and what happened to experts', async () => {
  const terminal = await createTerminal();
  const { id: rule } = await createRule(terminal, ['close_all']);
  const breach = toBreach(terminal, rule, { closed: 0 });
  await report({ breaches: [breach] });
  expect(await readBreach(breach.id)).toMatchObject({ phase: 'acting', experts: null, ended_at: null });
  const experts = { removed: 2, message: null };
  await report({ breaches: [{ ...breach, closed: 1, phase: 'holding', experts }] });
  expect(await readBreach(breach.id)).toMatchObject({ phase: 'holding', experts, ended_at: null });
  await report({ breaches: [{ ...breach, closed: 1, phase: 'ended', experts, has_ended: true }] });
  expect(await readBreach(breach.id)).toMatchObject({ phase: 'ended', experts, ended_at: expect.any(String) });
});

it('a breach of an agent that says no phase is acting until it has ended', async () => {
  const terminal = await createTerminal();
  const { id: rule } = await createRule(terminal, ['close_all']);
  const breach = toBreach(terminal, rule, {});
  await report({ breaches: [breach] });
  expect((await readBreach(breach.id))?.phase).toBe('acting');
  await report({ breaches: [{ ...breach, has_ended: true }] });
  expect((await readBreach(breach.id))?.phase).toBe('ended');
});

it('a state says whether the orders of its rule would be taken, and what stands against them', async () => {
  const terminal = await createTerminal();
  const { id: rule } = await createRule(terminal, ['close_all']);
  const read = async () => (await request<RiskState[]>('GET', `risk-rules/${rule}/state`))[0];
  await report({ states: [toState(terminal, rule)] });
  expect(await read()).toMatchObject({ can_act: null, trade_denied_by: null });
  await report({ states: [toState(terminal, rule, { can_act: false, trade_denied_by: ['password', 'terminal'] })] });
  expect(await read()).toMatchObject({ can_act: false, trade_denied_by: ['password', 'terminal'] });
  await report({ states: [toState(terminal, rule, { can_act: true, trade_denied_by: [] })] });
  expect(await read()).toMatchObject({ can_act: true, trade_denied_by: [] });
});

it('a host hears of an unlock while its claim waits', async () => {
  const terminal = await createTerminal();
  const { id: rule } = await createRule(terminal, ['close_all', 'lock']);
  await report({ breaches: [toBreach(terminal, rule, { actions: toLocked(), phase: 'holding' })] });
  // Whatever has changed so far is told first.
  await waitFor(
    async () =>
      !((await who.host.call('claim', { slots: 1, wait_ms: 0 })).body as { risk_changed?: boolean }).risk_changed,
  );
  const waiting = who.host.call('claim', { slots: 1, wait_ms: 20_000 });
  await unlock(terminal);
  expect((await waiting).body).toMatchObject({ risk_changed: true });
});
