/** A breach as it was decided, step by step, on one scale of time. Pure. */
import type { RiskBreach } from '@berth/client';

export interface BreachStep {
  key: string;
  kind: 'reached' | 'decided' | 'order' | 'action' | 'left';
  /** Since the decision. */
  afterMs: number;
  tone: 'good' | 'bad' | 'wait';
  action?: RiskBreach['actions'][number];
  left?: RiskBreach['left_open'][number];
}

/** In the order in which it happened: what was reached, the decision, the first order, each action, what stayed open. */
export const toBreachSteps = (breach: RiskBreach): BreachStep[] => {
  const decided = Date.parse(breach.decided_at);
  const steps: BreachStep[] = [
    { key: 'reached', kind: 'reached', afterMs: 0, tone: 'bad' },
    { key: 'decided', kind: 'decided', afterMs: 0, tone: 'good' },
  ];
  if (breach.first_order_ms !== null) {
    steps.push({ key: 'order', kind: 'order', afterMs: breach.first_order_ms, tone: 'good' });
  }
  // A clock of a host may have been set in between: nothing happened before the decision.
  const actions = breach.actions.map((action) => ({ action, afterMs: Math.max(0, Date.parse(action.at) - decided) }));
  for (const { action, afterMs } of actions) {
    steps.push({ key: action.action, kind: 'action', afterMs, tone: action.ok ? 'good' : 'bad', action });
    if (action.action !== 'close_all') continue;
    for (const left of breach.left_open) {
      steps.push({ key: `left ${left.ticket}`, kind: 'left', afterMs, tone: 'bad', left });
    }
  }
  return steps;
};

/** Whole seconds, so that a third of the scale is a round number; at least 3. */
export const toScaleMs = (steps: readonly BreachStep[]): number => {
  const last = steps.reduce((most, { afterMs }) => Math.max(most, afterMs), 0);
  return Math.max(1, Math.ceil(last / 3_000)) * 3_000;
};
