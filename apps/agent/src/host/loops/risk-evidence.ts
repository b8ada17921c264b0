/** Sends what was written down of breaches, until the server has it. */
import { type Logger, type Timing, toBackoffMs } from '@berth/kit';
import type { EvidenceRecorder } from '../../risk/evidence/evidence-recorder.ts';
import type { RiskNews } from '../../risk/risk-news.ts';
import type { ServerCalls } from '../../server/server-calls.ts';
import { isKind } from '../../server/server-error.ts';

/** Evidence must not wait for long, and is never urgent. */
const LOOK_MS = 2_000;
const BACKOFF = { baseMs: 2_000, maxMs: 60_000 };
/** A server of before does not know the call: it may be upgraded. */
const OLD_SERVER_MS = 600_000;

export interface EvidenceLoopOptions {
  server: Pick<ServerCalls, 'sendEvidence'>;
  evidence: EvidenceRecorder;
  /** A server refuses what is said of a breach that it has not heard of. */
  news: Pick<RiskNews, 'isKnown'>;
  timing: Timing;
  log: Logger;
}

/** Resolves when the signal aborts. */
export const runEvidenceReports = async (
  { server, evidence, news, timing, log }: EvidenceLoopOptions,
  signal: AbortSignal,
): Promise<void> => {
  let failures = 0;
  while (!signal.aborted) {
    try {
      const chunk = await evidence.take((id) => news.isKnown(id));
      const sent = chunk && { ...chunk, sent_at: timing.clock.now() };
      const hasAdvanced = sent && evidence.acknowledge(sent.breach_id, await server.sendEvidence(sent, signal));
      failures = 0;
      if (!hasAdvanced) await timing.sleep(LOOK_MS, signal);
    } catch (error) {
      log.debug({ err: error }, 'evidence was not sent');
      const isOld = isKind(error, 'refused');
      const pauseMs = isOld ? OLD_SERVER_MS : toBackoffMs(failures++, { ...BACKOFF, random: timing.random });
      await timing.sleep(pauseMs, signal);
    }
  }
};
