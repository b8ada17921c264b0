import { usePresence } from '../data/presence.ts';
import { Banner } from '../parts/banner.tsx';
import { Button } from '../parts/button.tsx';
import { useNow } from '../parts/clock.ts';
import { toSpan } from '../parts/time.tsx';
import { pageTexts } from '../texts/page-texts.ts';
import { texts } from '../texts/texts.ts';

/** A stream that is reopened immediately is not worth mentioning. */
const SHORT_MS = 3_000;

/** Since when what is shown may be outdated, and its reason; undefined while every change is reported. */
export const useOutage = (): { isAway: boolean; forMs: number } | undefined => {
  const { link, lostSince, awaySince } = usePresence();
  const now = useNow();
  if (awaySince !== undefined) return { isAway: true, forMs: now - awaySince };
  if (link !== 'lost' || lostSince === undefined || now - lostSince < SHORT_MS) return undefined;
  return { isAway: false, forMs: now - lostSince };
};

const toSentence = ({ isAway, forMs }: { isAway: boolean; forMs: number }): string => {
  if (forMs < 2_000) return pageTexts.frame.awayNow;
  return isAway ? pageTexts.frame.awaySince(toSpan(forMs)) : pageTexts.frame.lostSince(toSpan(forMs));
};

/** Says that what is shown may be outdated, and since when; disappears by itself. */
export const AwayBanner = ({ onTry }: { onTry: () => void }) => {
  const outage = useOutage();
  if (!outage) return null;
  return (
    <Banner kind="warning" action={<Button onClick={onTry}>{texts.tryAgain}</Button>}>
      {toSentence(outage)}
    </Banner>
  );
};

/** Whether every change is being reported at this moment. */
export const LinkMark = () => {
  const { link, awaySince } = usePresence();
  const state = awaySince === undefined ? link : 'away';
  return (
    <p className="live desk-only" data-state={state}>
      <i aria-hidden="true" />
      {pageTexts.frame.links[state]}
    </p>
  );
};
