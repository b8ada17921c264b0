import { MAX_ATTEMPTS_IN_HAND } from '@berth/contract/agent';
import type { Logger, Timing } from '@berth/kit';
import type { AttemptRunner } from '../../attempts/attempt-runner.ts';
import { repeatUntilAnswered } from '../../server/repeat-call.ts';
import type { ServerCalls } from '../../server/server-calls.ts';
import type { FactReporter } from '../facts.ts';
import type { LeftTerminals } from '../left-terminals.ts';

export interface HeartbeatOptions {
  server: Pick<ServerCalls, 'heartbeat'>;
  runner: Pick<AttemptRunner, 'listInHand' | 'revoke'>;
  facts?: FactReporter | undefined;
  left?: LeftTerminals | undefined;
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
  const { server, runner, facts, left, intervalMs, onResync, onRiskVersion, timing, log } = options;
  while (!signal.aborted) {
    const startedAtMs = timing.clock.now();
    const beat = async () => {
      const inHand = runner.listInHand().slice(0, MAX_ATTEMPTS_IN_HAND);
      const news = facts?.news;
      const removed = left?.list() ?? [];
      const answer = await server.heartbeat(inHand, signal, {
        ...(news ? { facts: news } : {}),
        ...(removed.length > 0 ? { removed } : {}),
      });
      facts?.noteReported(news);
      left?.note(removed, answer.left ?? [], signal);
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
