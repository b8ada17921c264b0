import { usePresence } from '../data/use-presence.ts';
import { texts } from '../texts/texts.ts';
import { Banner } from './banner.tsx';
import { useNow } from './clock.ts';

/** "in 12 s", second by second. */
export const Countdown = ({ until }: { until: number }) => {
  const left = Math.ceil((until - useNow()) / 1_000);
  // A screen reader says once that it waits, and not each second.
  return <span aria-hidden="true">{left > 0 ? texts.limitedFor(left) : texts.limitedNow}</span>;
};

/** Says that the server takes no more requests for a moment, before there is any page, too. It goes by itself. */
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
