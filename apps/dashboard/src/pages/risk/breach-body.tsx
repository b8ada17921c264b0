import type { RiskBreach } from '@berth/client';
import type { CSSProperties, ReactNode } from 'react';
import { Amount } from '../../parts/money/amount.tsx';
import { Shape, StatusMark } from '../../parts/status-mark.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { toBreachSteps, toScaleMs, type BreachStep } from './breach-steps.ts';

const words = pageTexts.risk.breaches;

const toMs = (ms: number): string => words.ms(Math.round(ms).toLocaleString(texts.locale));

const Fact = ({ name, value, note }: { name: string; value: ReactNode; note: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
    <dd className="sub">{note}</dd>
  </div>
);

const isCount = ({ kind }: RiskBreach): boolean => kind === 'max_positions' || kind === 'max_volume';

const Facts = ({ breach }: { breach: RiskBreach }) => {
  const isOpen = breach.closed < breach.total;
  return (
    <dl className="breach-facts">
      <Fact
        name={isCount(breach) ? words.seen.count : words.seen.equity}
        value={<Amount value={breach.value} />}
        note={pageTexts.risk.kinds[breach.kind]}
      />
      <Fact name={words.limit} value={<Amount value={breach.limit} />} note={breach.rule_name} />
      <Fact
        name={words.firstOrder}
        value={breach.first_order_ms === null ? '–' : toMs(breach.first_order_ms)}
        note={breach.first_order_ms === null ? words.noOrder : words.afterDecision}
      />
      <Fact
        name={words.closed}
        value={<span className={isOpen ? 'bad-word' : undefined}>{words.closedOf(breach.closed, breach.total)}</span>}
        note={words.positions}
      />
    </dl>
  );
};

/** What goes on, and what happened to experts. */
const Notes = ({ breach: { phase, experts } }: { breach: RiskBreach }) => {
  const notes = [
    phase === 'holding' ? words.held : null,
    experts && experts.removed > 0 ? words.experts(experts.removed) : null,
    experts?.message ?? null,
  ].filter((note) => note !== null);
  return notes.length > 0 ? (
    <p className="field-note">
      <bdi>{notes.join(' ')}</bdi>
    </p>
  ) : null;
};

const toText = (step: BreachStep, breach: RiskBreach): { what: string; more: string | null } => {
  if (step.kind === 'reached') return { what: words.reached, more: null };
  if (step.kind === 'order') return { what: words.first, more: null };
  if (step.kind === 'left' && step.left) {
    return { what: words.left(step.left.symbol, step.left.ticket), more: step.left.message };
  }
  if (step.kind === 'action' && step.action) {
    const { action, ok, message } = step.action;
    const what = action === 'close_all' && breach.total > 0 ? words.closedAll(breach.closed, breach.total) : undefined;
    return { what: what ?? words.steps[action][ok ? 'ok' : 'failed'], more: message };
  }
  return { what: '', more: null };
};

const Step = ({
  step,
  breach,
  scaleMs,
  fromMs,
}: {
  step: BreachStep;
  breach: RiskBreach;
  scaleMs: number;
  fromMs: number;
}) => {
  const { what, more } = toText(step, breach);
  const place = {
    '--from': `${(fromMs / scaleMs) * 100}%`,
    '--for': `${((step.afterMs - fromMs) / scaleMs) * 100}%`,
  } as CSSProperties;
  return (
    <li className="decision">
      <span className="decision-at">{step.afterMs === 0 ? toMs(0) : words.after(toMs(step.afterMs))}</span>
      <span data-tone={step.tone} className="inline-flex">
        <Shape tone={step.tone} />
      </span>
      <p>
        {step.kind === 'decided' ? (
          words.decided(breach.actions.map(({ action }) => pageTexts.risk.actions[action].toLowerCase()).join(', '))
        ) : (
          <b>
            <bdi>{what}.</bdi>
          </b>
        )}{' '}
        {more === null ? null : (
          <small>
            <bdi>{more}</bdi>
          </small>
        )}
      </p>
      <span className="decision-bar" aria-hidden="true">
        <i data-tone={step.tone === 'bad' ? 'bad' : undefined} style={place} />
      </span>
    </li>
  );
};

/** How it ended, or that it goes on. */
export const Outcome = ({ breach }: { breach: RiskBreach }) => {
  if (breach.phase === 'acting') return <StatusMark tone="wait">{words.acting}</StatusMark>;
  const isDone = breach.closed >= breach.total && breach.actions.every(({ ok }) => ok);
  const done = breach.phase === 'holding' ? words.holding : words.done;
  return <StatusMark tone={isDone ? 'good' : 'bad'}>{isDone ? done : words.failed}</StatusMark>;
};

/** What was reached, what was done about it and when, and what was left. */
export const BreachBody = ({ breach }: { breach: RiskBreach }) => {
  const steps = toBreachSteps(breach);
  const scaleMs = toScaleMs(steps);
  return (
    <>
      <Facts breach={breach} />
      <Notes breach={breach} />
      <ol className="decisions">
        {steps.map((step, index) => (
          <Step
            key={step.key}
            step={step}
            breach={breach}
            scaleMs={scaleMs}
            fromMs={Math.min(step.afterMs, steps[index - 1]?.afterMs ?? 0)}
          />
        ))}
      </ol>
    </>
  );
};
