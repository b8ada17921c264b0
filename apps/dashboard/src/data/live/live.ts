/** Keeps what is shown true: while somebody is signed in, the cache follows the live events. */
import { AuthenticationError, type LiveEvent } from '@berth/client';
import type { QueryClient } from '@tanstack/react-query';
import { berth } from '../berth.ts';
import { leave, type WhyLeft } from '../leave.ts';
import { getPresence, noteAway, noteHere, watchPresence } from '../presence.ts';
import { inOneTab, openTabs, type TabMessage } from './channel.ts';
import { Staleness } from './staleness.ts';
import { tellEvent } from './taps.ts';

/** Between two tries of a stream that ended in a way of which the client itself does not try again. */
const AGAIN_MS = 3_000;

export interface LiveOptions {
  client: QueryClient;
  /** The session is over, as the server or another tab says. */
  onLeft: (why: WhyLeft) => void;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => [clearTimeout(timer), resolve()], { once: true });
  });

/** Reads events until the signal ends it or the session is over. */
const read = async (take: (event: LiveEvent) => void, signal: AbortSignal): Promise<'signed-out' | 'ended'> => {
  while (!signal.aborted) {
    try {
      for await (const event of berth.events({ signal })) take(event);
    } catch (error) {
      if (error instanceof AuthenticationError) return 'signed-out';
    }
    if (!signal.aborted) await pause(AGAIN_MS, signal);
  }
  return 'ended';
};

/** @returns ends it */
export const startLive = ({ client, onLeft }: LiveOptions): (() => void) => {
  const stop = new AbortController();
  const staleness = new Staleness(client);
  let isFollowing = false;
  const takeHere = (event: LiveEvent): void => {
    staleness.take(event);
    tellEvent(event);
  };
  const take = (message: TabMessage): void => {
    if (message.kind === 'event') takeHere(message.event);
    else if (message.kind === 'left') onLeft(message.why);
    else {
      isFollowing = true;
      if (message.awaySince === undefined) noteHere();
      else noteAway(message.awaySince);
      isFollowing = false;
    }
  };
  const tabs = openTabs(take);
  // What the page asked for before it listened. Where another tab reads the stream, no `ready` says so.
  staleness.takeAll();
  const stopPresence = watchPresence(() => {
    const { awaySince } = getPresence();
    // What another tab said is not told back to it.
    if (!isFollowing) tabs.tell({ kind: 'presence', awaySince });
  });
  const takeFirst = (event: LiveEvent): void => {
    tabs.tell({ kind: 'event', event });
    takeHere(event);
  };
  const onShow = (): void => {
    // A tab that slept may have missed what the others were told.
    if (document.visibilityState === 'visible') staleness.takeAll();
  };
  const onOffline = (): void => noteAway();
  document.addEventListener('visibilitychange', onShow);
  addEventListener('offline', onOffline);
  void inOneTab(async () => {
    if ((await read(takeFirst, stop.signal)) === 'ended') return;
    tabs.tell({ kind: 'left', why: 'expired' });
    onLeft('expired');
  }, stop.signal).catch(() => undefined);
  return () => {
    stop.abort();
    stopPresence();
    staleness.close();
    tabs.close();
    document.removeEventListener('visibilitychange', onShow);
    removeEventListener('offline', onOffline);
  };
};

/** Leaves in all tabs of the browser: who signs out in one of them does not want to stay in the others. */
export const leaveEverywhere = (why: WhyLeft): void => {
  const tabs = openTabs(() => undefined);
  tabs.tell({ kind: 'left', why });
  tabs.close();
  leave(why);
};
