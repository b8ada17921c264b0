import type { Host } from '@berth/client';
import { useNow } from '../../parts/clock.ts';
import { Meter } from '../../parts/meter.tsx';
import { Moment } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.hosts;
const SECOND_MS = 1_000;

/** How far a drain is: what is left, and why. */
export const DrainProgress = ({ host: { drain, terminals } }: { host: Host }) => {
  const now = useNow(SECOND_MS);
  if (!drain) return null;
  const left = drain.left.reduce((sum, { terminals: count }) => sum + count, 0);
  const isOver = drain.deadline_at !== null && Date.parse(drain.deadline_at) <= now && left > 0;
  const text = words.stoppedOf(terminals - left, terminals);
  return (
    <section className="grid gap-1" aria-label={words.drainLabel}>
      <p className="flex justify-between gap-3">
        <b className={isOver ? 'text-danger' : undefined}>
          {drain.deadline_at === null ? (
            words.draining
          ) : (
            <>
              {isOver ? words.drainOver : words.drainUntil} <Moment at={drain.deadline_at} />
            </>
          )}
        </b>
        {drain.terminals === 'stop' ? <span className="figure">{text}</span> : null}
      </p>
      {drain.terminals === 'stop' ? <Meter part={terminals === 0 ? 1 : 1 - left / terminals} label={text} /> : null}
      {left === 0 ? (
        <p className="text-ink-2">{words.nothingLeft}</p>
      ) : (
        <ul className="text-ink-2">
          {drain.left.map(({ why, terminals: count }) => (
            <li key={why}>{words.left[why](count)}</li>
          ))}
        </ul>
      )}
    </section>
  );
};
