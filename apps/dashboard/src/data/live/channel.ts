/**
 * One stream of events per browser: the tab that holds the lock reads it and forwards it to the others. When it closes,
 * or freezes, the browser passes the lock to the next. Web Locks and BroadcastChannel need a secure address (https, or
 * this machine); without them every tab reads a stream of its own, of which a user may have 50.
 */
import type { LiveEvent } from '@berth/client';
import type { WhyLeft } from '../leave.ts';

const LOCK = 'berth-live-events';

/** Messages between tabs. */
export type TabMessage =
  | { kind: 'event'; event: LiveEvent }
  /** A tab has opened, and asks whether another one reads the stream. */
  | { kind: 'hello' }
  /** The answer: every change is being reported. */
  | { kind: 'live'; silenceMs: number }
  | { kind: 'alive'; silenceMs: number }
  | { kind: 'lost'; since: number | undefined }
  | { kind: 'left'; why: WhyLeft };

export interface Tabs {
  post(message: TabMessage): void;
  close(): void;
}

const isMessage = (data: unknown): data is TabMessage => typeof data === 'object' && data !== null && 'kind' in data;

/** Other tabs of the same browser and origin. A tab does not receive its own messages. */
export const openTabs = (onMessage: (message: TabMessage) => void): Tabs => {
  if (typeof BroadcastChannel === 'undefined') return { post: () => undefined, close: () => undefined };
  const channel = new BroadcastChannel(LOCK);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (isMessage(data)) onMessage(data);
  };
  return { post: (message) => channel.postMessage(message), close: () => channel.close() };
};

/** Runs the work in one tab at a time, in this one when it gets the lock; ends with the signal. */
export const inOneTab = async (work: () => Promise<void>, signal: AbortSignal): Promise<void> => {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return work();
  await locks.request(LOCK, { signal }, work);
};
