/** Keeps what is shown up to date: while somebody is signed in, the cache follows the live events. */
import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../keys.ts';
import { leave, type WhyLeft } from '../leave.ts';
import { noteAway, noteFollowed, notePause } from '../presence.ts';
import { readAnew } from '../query-client.ts';
import { openTabs } from './channel.ts';
import { seekContact } from './contact.ts';
import { closeGate, openGate } from './gate.ts';
import { followStream } from './shared-stream.ts';
import { Staleness } from './staleness.ts';

/** What was read before the stream began may be outdated, except for what never changes during a session. */
const hasRead = (client: QueryClient): boolean =>
  client
    .getQueryCache()
    .getAll()
    .some(({ queryKey: [first] }) => first !== keys.session[0] && first !== keys.signInOptions[0]);

/** @returns a function that stops it */
const startLive = (client: QueryClient): (() => void) => {
  const stop = new AbortController();
  const staleness = new Staleness(client);
  const isLate = hasRead(client);
  noteFollowed();
  closeGate();
  const onLive = (): void => {
    const hasReadNothing = openGate() && !isLate;
    if (!hasReadNothing) staleness.takeAll();
  };
  const onShow = (): void => {
    // A tab that was suspended may have missed what the others received.
    if (document.visibilityState === 'visible') staleness.takeAll();
  };
  const onOffline = (): void => noteAway();
  document.addEventListener('visibilitychange', onShow);
  addEventListener('offline', onOffline);
  seekContact(() => readAnew(client), stop.signal);
  followStream(
    {
      onLive,
      onEvent: (event) => {
        if (event.event !== 'ready') staleness.take(event);
      },
      onLeft: (why) => [stopLive(), leave(why)],
    },
    stop.signal,
  );
  return () => {
    stop.abort();
    openGate();
    staleness.close();
    notePause();
    document.removeEventListener('visibilitychange', onShow);
    removeEventListener('offline', onOffline);
  };
};

let end: (() => void) | undefined;

/** Starts to follow the events, unless that has been done. Call it before the first page reads anything. */
export const ensureLive = (client: QueryClient): void => {
  end ??= startLive(client);
};

export const stopLive = (): void => {
  end?.();
  end = undefined;
};

/** Signs out in all tabs of the browser: whoever signs out in one of them does not want to stay signed in elsewhere. */
export const leaveEverywhere = (why: WhyLeft): void => {
  const tabs = openTabs(() => undefined);
  tabs.post({ kind: 'left', why });
  tabs.close();
  stopLive();
  leave(why);
};
