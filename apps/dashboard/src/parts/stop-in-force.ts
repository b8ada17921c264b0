import { useStop } from '../data/stop.ts';
import { pageTexts } from '../texts/page-texts.ts';
import { useNow } from './clock.ts';
import { toExactTime } from './time.tsx';

/** What it means to turn some terminals on while all algo trading is stopped; undefined: it is not. */
export const useStopInForce = (count: number): string | undefined => {
  const stop = useStop();
  const now = useNow(60_000);
  return stop ? pageTexts.stopDialogs.inForce(toExactTime(Date.parse(stop.started_at), now), count) : undefined;
};
