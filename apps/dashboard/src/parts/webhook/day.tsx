import type { Webhook } from '@berth/client';
import { MAX_PENDING_DELIVERIES } from '@berth/contract/values';
import { useId } from 'react';
import { Figure } from '../figure.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';

const words = pageTexts.webhooks.day;
const STEP = 4;
const HEIGHT = 36;
/** So much of a bar is always visible. */
const LEAST = 3;

export const toCount = (count: number): string => count.toLocaleString(texts.locale);

/** A bar for each half hour: how much was delivered or given up, compared with the busiest one. */
export const DayBars = ({ day }: { day: Webhook['last_24_hours'] }) => {
  const pattern = useId();
  const most = Math.max(1, ...day.half_hours.map(({ succeeded, failed }) => succeeded + failed));
  const toHeight = (count: number): number => (count === 0 ? 0 : Math.max(LEAST, (count / most) * HEIGHT));
  return (
    <svg
      className="day-bars"
      viewBox={`0 0 ${day.half_hours.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={words.barsLabel(toCount(day.succeeded), toCount(day.failed))}
    >
      <defs>
        <pattern id={pattern} width="4" height="4" patternUnits="userSpaceOnUse">
          <rect width="4" height="4" />
          <path d="M-1 1 1-1M-1 5 5-1M3 5 5 3" />
        </pattern>
      </defs>
      {day.half_hours.map(({ at, succeeded, failed }, index) => {
        const [whole, bad] = [toHeight(succeeded + failed), toHeight(failed)];
        const bar = { x: index * STEP, width: STEP - 1 };
        return whole === 0 ? (
          <rect key={at} {...bar} y={HEIGHT - 1} height={1} data-none="" />
        ) : (
          <g key={at}>
            <rect {...bar} y={HEIGHT - whole} height={whole - bad} />
            <path d={`M${bar.x} ${HEIGHT - bad}h${bar.width}v${bad}h-${bar.width}z`} fill={`url(#${pattern})`} />
          </g>
        );
      })}
    </svg>
  );
};

/** A time that is known to within a quarter. */
export const AboutMs = ({ ms }: { ms: number | null }) => (
  <span className="figure">
    {ms === null ? null : '≈\u00a0'}
    <Figure value={ms} unit="ms" />
  </span>
);

/** How many deliveries wait. */
export const Pending = ({ webhook: { pending, failing_since: failingSince } }: { webhook: Webhook }) => (
  <span className={pending === 0 ? 'none' : failingSince === null ? undefined : 'text-bad'}>
    {pending < MAX_PENDING_DELIVERIES ? toCount(pending) : words.more(toCount(pending))}
  </span>
);
