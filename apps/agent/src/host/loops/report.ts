import type { AgentEvent } from '@berth/contract/agent';
import { type Logger, type Timing, toBackoffMs } from '@berth/kit';
import type { AttemptRunner } from '../../attempts/attempt-runner.ts';
import { repeatUntilAnswered } from '../../server/repeat-call.ts';
import type { ReportOutbox } from '../../server/report-outbox.ts';
import type { ServerCalls } from '../../server/server-calls.ts';
import { isKind } from '../../server/server-error.ts';

/** After consecutive events at which the server failed: if it fails at all of them, it must not be flooded. */
const FAILING_BACKOFF = { baseMs: 100, maxMs: 10_000 };

export interface ReportOptions {
  server: Pick<ServerCalls, 'report'>;
  outbox: ReportOutbox;
  runner: Pick<AttemptRunner, 'acknowledge'>;
  maxEvents: number;
  timing: Timing;
  log: Logger;
}

/**
 * Every verdict (accepted, duplicate, stale) means the same to the agent: the server knows the event, or does not want
 * it.
 */
const acknowledgeAll = (events: AgentEvent[], { outbox, runner }: ReportOptions): void => {
  outbox.settle(events);
  for (const { kind, task_id: taskId, fence } of events) {
    const isEnd = kind !== 'terminal' && kind !== 'started';
    if (isEnd && taskId !== undefined && fence !== undefined) runner.acknowledge({ taskId, fence });
  }
};

/**
 * Sends the outbox, oldest first, one report at a time: an idle loop sends immediately, and while a report is in flight
 * the next one accumulates. An event leaves the outbox only by the server's verdict on it; one that the server refuses
 * or fails at is found by halving the report, and set aside for a while. Rejects on a fatal answer; resolves when the
 * signal aborts.
 */
export const runReportLoop = async (options: ReportOptions, signal: AbortSignal): Promise<void> => {
  const { server, outbox, maxEvents, timing, log } = options;
  let limit = maxEvents;
  let failures = 0;
  while (!signal.aborted) {
    const events = outbox.peek(limit);
    const [first] = events;
    if (!first) {
      await outbox.filled.wait(signal);
      continue;
    }
    try {
      const report = () => server.report(events, signal);
      const verdicts = await repeatUntilAnswered(report, { signal, timing, log, rejects: ['refused', 'failed'] });
      if (!verdicts) return;
      acknowledgeAll(events, options);
      limit = Math.min(maxEvents, limit * 2);
      failures = 0;
    } catch (error) {
      if (!isKind(error, 'refused', 'failed')) throw error;
      if (events.length > 1) {
        limit = Math.ceil(events.length / 2);
        continue;
      }
      log.error({ err: error, kind: first.kind, task_id: first.task_id }, 'the server cannot take an event');
      outbox.setAside(first);
      await timing.sleep(toBackoffMs(failures++, { ...FAILING_BACKOFF, random: timing.random }), signal);
    }
  }
};
