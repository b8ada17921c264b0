/**
 * While there is no contact with the server, asks for it again and again. Nothing else would: an open stream says nothing
 * of requests, and a page that stands asks for nothing.
 */
import { berth } from '../berth.ts';
import { isAway, watchPresence } from '../presence.ts';
import { pause } from './pause.ts';

const AGAIN_MS = 2_000;
/** A server that hangs is asked anew, because it may be another one that answers. */
const PATIENCE_MS = 5_000;

const seek = async (signal: AbortSignal): Promise<void> => {
  while (isAway() && !signal.aborted) {
    // Whatever the answer, the client's `fetch` notes that there was one.
    await berth.auth.options({ signal, timeoutMs: PATIENCE_MS, maxRetries: 0 }).catch(() => undefined);
    if (isAway()) await pause(AGAIN_MS, signal);
  }
};

/** Watches until the signal ends it. @param onBack the server answers again */
export const seekContact = (onBack: () => void, signal: AbortSignal): void => {
  let wasAway = false;
  let isSeeking = false;
  const unwatch = watchPresence(() => {
    if (wasAway && !isAway()) onBack();
    wasAway = isAway();
    if (!wasAway || isSeeking) return;
    isSeeking = true;
    void seek(signal).finally(() => (isSeeking = false));
  });
  signal.addEventListener('abort', unwatch, { once: true });
};
