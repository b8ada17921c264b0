/**
 * A page's first reads wait for the event stream, but never long: what is read after the stream has begun is current
 * until an event says otherwise. What is read before has to be read twice.
 */
const LONGEST_MS = 500;

/** In the browser's user timing: the stream came too late, and what is read now is read twice. */
const LATE = 'berth:stream-late';

let opened: Promise<void> = Promise.resolve();
let open: (() => void) | undefined;

/** All reads wait from now on. */
export const closeGate = (): void => {
  openGate();
  opened = new Promise((resolve) => {
    const timer = setTimeout(() => [performance.mark(LATE), openGate()], LONGEST_MS);
    open = () => [clearTimeout(timer), resolve()];
  });
};

/** @returns whether it was closed until now, so that nothing was read before */
export const openGate = (): boolean => {
  const wasClosed = open !== undefined;
  open?.();
  open = undefined;
  return wasClosed;
};

export const passGate = (): Promise<void> => opened;
