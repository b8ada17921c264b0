import { useSyncExternalStore } from 'react';
import { getPresence, watchPresence } from '../data/presence.ts';
import { Banner } from '../parts/banner.tsx';
import { Button } from '../parts/button.tsx';
import { useNow } from '../parts/clock.ts';
import { toSpan } from '../parts/time.tsx';
import { texts } from '../texts/texts.ts';

export const usePresence = () => useSyncExternalStore(watchPresence, getPresence);

const Since = ({ awaySince }: { awaySince: number }) => {
  const away = useNow() - awaySince;
  return away < 2_000 ? texts.frame.awayNow : texts.frame.awaySince(toSpan(away));
};

/** Says that the server is away, and for how long; goes by itself. */
export const AwayBanner = ({ onTry }: { onTry: () => void }) => {
  const { awaySince } = usePresence();
  if (awaySince === undefined) return null;
  return (
    <Banner kind="warning" action={<Button onClick={onTry}>{texts.tryAgain}</Button>}>
      <Since awaySince={awaySince} />
    </Banner>
  );
};
