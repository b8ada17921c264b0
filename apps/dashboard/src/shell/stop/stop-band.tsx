import type { TradingStop } from '@berth/client';
import { OctagonX } from 'lucide-react';
import { useState } from 'react';
import { useNow } from '../../parts/clock.ts';
import { Button } from '../../parts/button.tsx';
import { laterWhenOpen } from '../../parts/later.tsx';
import { toExactTime } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { useStop } from '../../data/stop.ts';
import type { StopEndProps } from './stop-end.tsx';
import type { StopExceptionsProps } from './stop-exceptions.tsx';

const words = pageTexts.stop;

const Exceptions = laterWhenOpen<StopExceptionsProps>(
  async () => (await import('./stop-exceptions.tsx')).StopExceptions,
);
const End = laterWhenOpen<StopEndProps>(async () => (await import('./stop-end.tsx')).StopEnd);

const Band = ({ stop }: { stop: TradingStop }) => {
  const [shown, setShown] = useState<'exceptions' | 'end'>();
  const close = (): void => setShown(undefined);
  const now = useNow(60_000);
  const { confirmed, unconfirmed, on_again: onAgain } = stop;
  const open = unconfirmed + onAgain;
  return (
    <section className="run-strip stop-band" aria-label={words.band} data-open={open > 0 ? '' : undefined}>
      <OctagonX aria-hidden="true" />
      <p role="status">
        <b>{words.stopped(toExactTime(Date.parse(stop.started_at), now))}</b>{' '}
        {words.counts(confirmed, unconfirmed, onAgain)}. {unconfirmed > 0 ? words.asking(unconfirmed) : null}
        {stop.is_by_operator ? ` ${words.byOperator}` : null}
      </p>
      {open > 0 ? <Button onClick={() => setShown('exceptions')}>{words.show(open)}</Button> : null}
      <Button onClick={() => setShown('end')}>{words.end}</Button>
      <Exceptions stop={stop} isOpen={shown === 'exceptions'} onClose={close} />
      <End stop={stop} isOpen={shown === 'end'} onClose={close} />
    </section>
  );
};

/** That algo trading is stopped, on every page, until the stop is ended. */
export const StopBand = () => {
  const stop = useStop();
  return stop ? <Band stop={stop} /> : null;
};
