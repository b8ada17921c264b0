import { usePresence } from '../data/presence.ts';
import { useNow } from '../parts/clock.ts';
import { toExactTime } from '../parts/time.tsx';
import { pageTexts } from '../texts/page-texts.ts';

const words = pageTexts.frame;

/** A stream that is reopened immediately is not worth mentioning. */
const SHORT_MS = 3_000;

/** From when what is shown may be outdated, and why; undefined while every change is reported. */
export const useOutage = (): { isAway: boolean; since: number } | undefined => {
  const { link, lostSince, awaySince } = usePresence();
  const now = useNow();
  if (awaySince !== undefined) return { isAway: true, since: awaySince };
  if (link !== 'lost' || lostSince === undefined || now - lostSince < SHORT_MS) return undefined;
  return { isAway: false, since: lostSince };
};

/** Says from when what is shown is; laid over the page, so that nothing moves. It disappears by itself. */
export const AwayBanner = () => {
  const outage = useOutage();
  const now = useNow(60_000);
  if (!outage) return null;
  const at = toExactTime(outage.since, now);
  return (
    <p className="contact" role="alert">
      <i aria-hidden="true" />
      <span>{outage.isAway ? words.noContactSince(at) : words.noUpdatesSince(at)}</span>
    </p>
  );
};

/** Whether every change is being reported at this moment. */
export const LinkMark = () => {
  const { link, awaySince } = usePresence();
  const state = awaySince === undefined ? link : 'away';
  return (
    <p className="live desk-only" data-state={state}>
      <i aria-hidden="true" />
      {words.links[state]}
    </p>
  );
};
