import { close, constants, fstat, open } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { sleep } from '@berth/kit';
import { CommandError, type CommandInput } from '@berth/command';

const OPEN_MS = 20_000;
const POLL_MS = 20;
/** A window's reply to an escape sequence in the box's output must not reach the shell that follows. */
const DRAIN_MS = 100;

/** Waits for something in the box. @throws CommandError when it does not happen */
const waitForBox = async <Found>(find: () => Promise<Found | undefined>): Promise<Found> => {
  const deadline = performance.now() + OPEN_MS;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() >= deadline)
      throw new CommandError('The box does not answer. Is the terminal being stopped?');
    await sleep(POLL_MS);
  }
};

/**
 * Opens a FIFO that a program in a box has made, or whatever is in its place: links are not followed, nothing blocks,
 * and anything but a FIFO is refused. @returns a descriptor
 */
const openFifo = (path: string, flags: number): Promise<number> =>
  waitForBox(async () => {
    const way = flags | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await promisify(open)(path, way).catch(() => undefined);
    if (file === undefined || (await promisify(fstat)(file)).isFIFO()) return file;
    await promisify(close)(file);
    return undefined;
  });

/**
 * The box removes the name when it has opened its end: input that ended before that would be lost, and waited for
 * without end.
 */
const waitUntilTaken = (path: string): Promise<boolean> =>
  waitForBox(() =>
    lstat(path).then(
      () => undefined,
      () => true,
    ),
  );

export interface RelayEnds {
  input: CommandInput;
  /** Takes the box's output, one chunk after the other. @returns false to stop */
  deliver: (chunk: Buffer) => Promise<boolean>;
  signal: AbortSignal;
}

/** Forwards all output, no faster than it is taken, until the other side has closed. */
const carryOut = (from: Socket, { deliver, signal }: RelayEnds): Promise<void> =>
  new Promise<void>((resolve) => {
    from.on('data', (chunk: Buffer) => {
      from.pause();
      const goOn = (isWanted: boolean): void => void (isWanted ? from.resume() : resolve());
      deliver(chunk).then(goOn, () => resolve());
    });
    from.on('close', () => resolve());
    from.on('error', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Relays bytes between two FIFOs of a box and a person, until the program in the box has closed its end. */
export const relay = async (paths: { input: string; output: string }, ends: RelayEnds): Promise<void> => {
  const { input } = ends;
  const from = new Socket({ fd: await openFifo(paths.output, constants.O_RDONLY), readable: true, writable: false });
  // Opened for reading too, so that it can be opened before the program has opened its end.
  const to = new Socket({ fd: await openFifo(paths.input, constants.O_RDWR), readable: false, writable: true });
  const isWindow = input.isTTY === true && input.setRawMode !== undefined;
  const onInput = (chunk: Buffer): void => {
    if (!to.write(chunk)) input.pause();
  };
  const onInputEnd = (): void => void to.end();
  to.on('drain', () => input.resume());
  // The program may end before it has read everything.
  to.on('error', () => undefined);
  try {
    await waitUntilTaken(paths.input);
    if (isWindow) input.setRawMode?.(true);
    input.on('data', onInput);
    input.on('end', onInputEnd);
    await carryOut(from, ends);
  } finally {
    input.removeListener('data', onInput);
    input.removeListener('end', onInputEnd);
    if (isWindow) {
      input.resume();
      await sleep(DRAIN_MS);
      input.setRawMode?.(false);
    }
    input.pause();
    from.destroy();
    to.destroy();
  }
};
