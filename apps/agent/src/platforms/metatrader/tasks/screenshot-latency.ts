import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { StepFailure } from '../step-failure.ts';
import { captureScreen, uploadScreenshot } from './screenshot.ts';
import type { TerminalParts, TaskHandler } from './task-run.ts';
import { countWords } from './step-texts.ts';

const DEFAULT_SAMPLES = 5;
const SAMPLE_TIMEOUT_MS = 3_000;

/** How long a TCP handshake takes, in milliseconds; undefined when it does not succeed. */
const measureConnectMs = (endpoint: { host: string; port: number }, signal: AbortSignal): Promise<number | undefined> =>
  new Promise((resolve) => {
    const startedAt = performance.now();
    const socket = connect({ ...endpoint, signal, timeout: SAMPLE_TIMEOUT_MS });
    const finish = (ms: number | undefined): void => {
      socket.destroy();
      resolve(ms);
    };
    socket.once('connect', () => finish(performance.now() - startedAt));
    socket.once('timeout', () => finish(undefined));
    socket.on('error', () => finish(undefined));
  });

const toMicroseconds = (ms: number): number => Math.round(ms * 1000) / 1000;

/** @returns `loss` in percent. Throws E_NO_CONNECTION when no sample succeeded. */
export const toLatency = (samples: readonly (number | undefined)[]) => {
  const times = samples.filter((ms) => ms !== undefined);
  if (times.length === 0) throw new StepFailure('E_NO_CONNECTION', 'The broker was not reached by any sample.');
  return {
    min: toMicroseconds(Math.min(...times)),
    avg: toMicroseconds(times.reduce((sum, ms) => sum + ms, 0) / times.length),
    max: toMicroseconds(Math.max(...times)),
    loss: toMicroseconds(((samples.length - times.length) / samples.length) * 100),
  };
};

/** The round trip that the terminal itself last measured, where only it knows its broker's address. */
const readOwnPing = ({ live }: TerminalParts) => {
  const { login } = live.view;
  if (login.state !== 'in' || login.pingMs === null) {
    throw new StepFailure(
      'E_NO_CONNECTION',
      'The terminal is not connected to its broker, so it has measured no ping.',
    );
  }
  return { message: "Read the terminal's own last ping.", latency: toLatency([login.pingMs]) };
};

/** SCREENSHOT_LATENCY: a screenshot, and the round trips to the broker that this host measures itself. */
export const screenshotLatency: TaskHandler<'SCREENSHOT_LATENCY'> = async (run) => {
  const { terminal, steps, signal, payload } = run;
  const screenshot = await captureScreen(run);
  const { latency } = await steps.run('measure_latency', async () => {
    const endpoint = await terminal.edition.findBrokerEndpoint();
    if (!endpoint) return readOwnPing(terminal);
    const samples: (number | undefined)[] = [];
    for (let left = payload.samples ?? DEFAULT_SAMPLES; left > 0; left -= 1) {
      signal.throwIfAborted();
      samples.push(await measureConnectMs(endpoint, signal));
    }
    return { message: `Measured ${countWords(samples.length, 'connection')}.`, latency: toLatency(samples) };
  });
  await uploadScreenshot(run, screenshot, { latency_ms: latency });
};
