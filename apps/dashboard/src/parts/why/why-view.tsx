import type { TerminalWhy } from '@berth/client';
import type { ReactNode } from 'react';
import { pageTexts } from '../../texts/page-texts.ts';
import { Shape, type Tone } from '../status-mark.tsx';
import { Time } from '../time.tsx';

const words = pageTexts.why;
type Step = TerminalWhy['chain'][number];
const tones: Record<'true' | 'false' | 'null', Tone> = { true: 'good', false: 'bad', null: 'rest' };

/** @param props.isFirst it is the one whose next step stands above */
const Check = ({ check: { check, ok, message, next_step: next }, isFirst }: { check: Step; isFirst: boolean }) => {
  const state = String(ok) as keyof typeof tones;
  return (
    <li className="grid grid-cols-[auto_7rem_1fr] items-baseline gap-x-3 py-1" data-ok={state}>
      <Shape tone={tones[state]} />
      <b className={ok === null ? 'text-ink-3' : ''}>{words.checks[check]}</b>
      <span className={ok === false ? '' : 'text-ink-2'}>
        {ok === null ? null : <span className="sr-only">{words.states[ok ? 'true' : 'false']}. </span>}
        <bdi>{message}</bdi>
        {next === null || isFirst ? null : <span className="block text-ink-2">{next}</span>}
      </span>
    </li>
  );
};

export interface WhyViewProps {
  why: TerminalWhy;
  /** What can be done about it, at once. */
  children?: ReactNode;
}

/** The first thing that is wrong, what to do about it, and all that was checked. */
export const WhyView = ({ why: { answer, since, chain }, children }: WhyViewProps) => {
  const first = chain.find(({ ok }) => ok === false);
  const next = first?.next_step ?? null;
  return (
    <div className="grid gap-3">
      <p>
        <b>
          <bdi>{answer}</bdi>
        </b>{' '}
        <span className="text-ink-3">
          {words.since} <Time at={since} as="moment" />
        </span>
      </p>
      {next === null ? null : (
        <p>
          <b>{words.next}</b> {next}
        </p>
      )}
      {children}
      <ol aria-label={words.chain}>
        {chain.map((check) => (
          <Check key={check.check} check={check} isFirst={check === first} />
        ))}
      </ol>
    </div>
  );
};
