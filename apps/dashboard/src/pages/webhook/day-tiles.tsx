import type { Webhook } from '@berth/client';
import type { ReactNode } from 'react';
import { toPercentText } from '../../parts/figure.tsx';
import { Shape } from '../../parts/status-mark.tsx';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { AboutMs, DayBars, Pending, toCount } from '../../parts/webhook/day.tsx';

const words = pageTexts.webhooks.day;

/** Rounded down: not all of them were taken at the first try if it does not say 100%. */
const toPart = (part: number, whole: number): string => toPercentText(Math.floor((part / whole) * 10_000) / 100, 2);

const Tile = ({ name, value, children }: { name: string; value: ReactNode; children: ReactNode }) => (
  <div className="tile">
    <dt>{name}</dt>
    <dd>
      <b className="figure">{value}</b>
      <small>{children}</small>
    </dd>
  </div>
);

/** How the last 24 hours of a webhook were. */
export const DayTiles = ({ webhook }: { webhook: Webhook }) => {
  const { last_24_hours: day, oldest_pending_at: oldest } = webhook;
  const { succeeded, failed } = day;
  const notes = [
    ...(succeeded === 0 ? [] : [words.firstTry(toPart(day.at_first_try, succeeded))]),
    ...(failed === 0 ? [] : [words.failed(toCount(failed))]),
  ];
  return (
    <dl className="tiles" aria-label={words.label}>
      <Tile name={words.delivered} value={toCount(succeeded)}>
        {notes.join(', ')}
      </Tile>
      <Tile name={words.median} value={<AboutMs ms={day.median_ms} />}>
        {day.p99_ms === null ? null : (
          <>
            {words.p99} <AboutMs ms={day.p99_ms} />
          </>
        )}
      </Tile>
      <Tile
        name={words.pending}
        value={
          <>
            {oldest === null ? null : <Shape tone="wait" />}
            <Pending webhook={webhook} />
          </>
        }
      >
        {oldest === null ? null : (
          <>
            {words.oldest} <Time at={oldest} as="moment" />
          </>
        )}
      </Tile>
      <div className="tile tile-bars">
        <dt>{words.bars}</dt>
        <dd>
          <DayBars day={day} />
        </dd>
      </div>
    </dl>
  );
};
