import { ServerTransport } from '../../server/server-transport.ts';
import type { ServerFacts } from './host-facts.ts';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** The header counts whole seconds, so half a second is the best guess for the rest. */
const HALF_SECOND_MS = 500;

/** Checks that the server responds, in the way the agent connects to it, and compares the clocks. */
export const askServer = async (serverUrl: string, version: string, signal: AbortSignal): Promise<ServerFacts> => {
  const transport = new ServerTransport({ serverUrl, version });
  const askedAtMs = Date.now();
  try {
    const call = { path: 'healthz', method: 'GET', body: '', timeoutMs: TIMEOUT_MS } as const;
    const { status, headers } = await transport.send({ ...call, maxAnswerBytes: MAX_ANSWER_BYTES, signal });
    const nowMs = (askedAtMs + Date.now()) / 2;
    const serverMs = Date.parse(headers.date ?? '') + HALF_SECOND_MS;
    return {
      url: serverUrl,
      failure: status === 200 ? undefined : `its answer has the status ${status}`,
      clockAheadMs: Number.isNaN(serverMs) ? undefined : nowMs - serverMs,
    };
  } catch (error) {
    return { url: serverUrl, failure: (error as Error).message, clockAheadMs: undefined };
  } finally {
    transport.close();
  }
};
