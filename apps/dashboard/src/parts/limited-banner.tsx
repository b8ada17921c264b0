import { usePresence } from '../data/presence.ts';
import { texts } from '../texts/texts.ts';
import { Banner } from './banner.tsx';
import { useNow } from './clock.ts';

/** "in 12 s", second by second. */
export const Countdown = ({ until }: { until: number }) => {
  const left = Math.ceil((until - useNow()) / 1_000);
  // A screen reader announces the wait once, and not each second.
  return <span aria-hidden="true">{left > 0 ? texts.limitedFor(left) : texts.limitedNow}</span>;
};

/** Shows that the server is rejecting requests for a moment, even before there is any page. It disappears by itself. */
export const LimitedBanner = () => {
  const { limitedUntil } = usePresence();
  if (limitedUntil === undefined) return null;
  return (
    <div className="limited">
      <Banner kind="warning">
        {texts.limited} <Countdown until={limitedUntil} />
      </Banner>
    </div>
  );
};
