import { MAX_ATTEMPTS_IN_HAND } from '@berth/contract/agent';
import type { Logger, Timing } from '@berth/kit';
import type { AttemptRunner } from '../../attempts/attempt-runner.ts';
import { repeatUntilAnswered } from '../../server/repeat-call.ts';
import type { ServerCalls } from '../../server/server-calls.ts';
import type { FactReporter } from '../facts.ts';

export interface HeartbeatOptions {
  server: Pick<ServerCalls, 'heartbeat'>;
  runner: Pick<AttemptRunner, 'listInHand' | 'revoke'>;
  facts?: FactReporter | undefined;
  intervalMs: number;
  /** Called when the server needs a report on every terminal again. */
  onResync: () => void;
  /** Called with the version of the risk rules that the server has. */
  onRiskVersion?: ((version: number | undefined) => void) | undefined;
  timing: Timing;
  log: Logger;
}

/**
 * Reports every `intervalMs` that the host is alive and which attempts it is running, whatever else is going on; drops
 * the attempts that the server no longer wants. Rejects on a fatal answer; resolves when the signal aborts.
 */
export const runHeartbeatLoop = async (options: HeartbeatOptions, signal: AbortSignal): Promise<void> => {
  const { server, runner, facts, intervalMs, onResync, onRiskVersion, timing, log } = options;
  while (!signal.aborted) {
    const startedAtMs = timing.clock.now();
    const beat = async () => {
      const inHand = runner.listInHand().slice(0, MAX_ATTEMPTS_IN_HAND);
      const news = facts?.news;
      const answer = await server.heartbeat(inHand, signal, news);
      facts?.noteReported(news);
      const revoked = new Set(answer.revoked);
      runner.revoke(inHand.filter(({ taskId }) => revoked.has(taskId)));
      if (answer.isResyncWanted) onResync();
      onRiskVersion?.(answer.riskVersion);
    };
    await repeatUntilAnswered(beat, { signal, timing, log, maxMs: intervalMs });
    const tookMs = timing.clock.now() - startedAtMs;
    await timing.sleep(Math.min(intervalMs, Math.max(0, intervalMs - tookMs)), signal);
  }
};
