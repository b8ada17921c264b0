import type { AgentEvent } from '@berth/contract';
import type { Logger } from '@berth/kit';
import type { AttemptRunner } from '../attempt-runner.ts';
import { repeatUntilAnswered } from '../repeat-call.ts';
import type { ReportOutbox } from '../report-outbox.ts';
import { isRefused } from '../server-error.ts';
import type { ServerCalls } from '../server-connection.ts';
import type { Timing } from '../timing.ts';

export interface ReportOptions {
  server: Pick<ServerCalls, 'report'>;
  outbox: ReportOutbox;
  runner: Pick<AttemptRunner, 'acknowledge'>;
  maxEvents: number;
  timing: Timing;
  log: Logger;
}

const acknowledgeAll = (events: AgentEvent[], { outbox, runner }: ReportOptions): void => {
  outbox.settle(events);
  for (const { kind, task_id: taskId, fence } of events) {
    const isEnd = kind !== 'terminal' && kind !== 'started';
    if (isEnd && taskId !== undefined && fence !== undefined) runner.acknowledge({ taskId, fence });
  }
};

/**
 * Sends what stands in the outbox, oldest first, one report at a time: an idle loop sends at once, and while a report is
 * under way the next one gathers. Every verdict (accepted, duplicate, stale) means the same to the agent: done.
 * Rejects on a fatal answer; resolves when the signal aborts.
 */
export const runReportLoop = async (options: ReportOptions, signal: AbortSignal): Promise<void> => {
  const { server, outbox, maxEvents, timing, log } = options;
  let limit = maxEvents;
  while (!signal.aborted) {
    const events = outbox.peek(limit);
    if (events.length === 0) {
      await outbox.filled.wait(signal);
      continue;
    }
    try {
      const report = () => server.report(events, signal);
      await repeatUntilAnswered(report, { signal, timing, log, rejectsRefused: true });
      if (signal.aborted) return;
      acknowledgeAll(events, options);
      limit = Math.min(maxEvents, limit * 2);
    } catch (error) {
      if (!isRefused(error)) throw error;
      // One event that the server cannot take must not hold up the others: halve until it stands alone, then drop it.
      if (events.length > 1) {
        limit = Math.ceil(events.length / 2);
        continue;
      }
      log.error({ err: error, kind: events[0]?.kind, task_id: events[0]?.task_id }, 'the server refused an event');
      acknowledgeAll(events, options);
    }
  }
};
