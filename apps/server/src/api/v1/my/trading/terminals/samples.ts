import { parseIsoDateTime, sampleColumns, terminalRoutes, type SampleStep } from '@berth/contract';
import { AppError } from '../../../../../errors.ts';
import { findUptime, readSamples } from '../../../../../samples/reading.ts';
import { findTerminal } from '../../../../../terminals/queries.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

const DAY_MS = 86_400_000;

/** The longest span that one answer covers. */
const spansMs: Record<SampleStep, number> = { 1: DAY_MS, 15: 30 * DAY_MS };

interface Asked {
  from?: string | undefined;
  to?: string | undefined;
  step?: SampleStep | undefined;
}

/** Nothing was measured before 1970, and the database formats earlier years differently. */
const toTime = (text: string | undefined): number | undefined => {
  const time = text === undefined ? undefined : parseIsoDateTime(text)?.getTime();
  return time === undefined ? undefined : Math.max(0, time);
};

/** The default step is the finest that covers the whole span. */
const toWindow = ({ from, to, step }: Asked, nowMs: number) => {
  const [fromMs, toMs = nowMs] = [toTime(from), toTime(to)];
  const startMs = fromMs ?? toMs - DAY_MS;
  const chosen = step ?? (nowMs - startMs <= spansMs[1] + 60_000 ? 1 : 15);
  const earliestMs = Math.max(0, toMs - spansMs[chosen]);
  return { step: chosen, from: new Date(Math.max(fromMs ?? earliestMs, earliestMs)), to: new Date(toMs) };
};

export const registerSampleRoutes = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, terminalRoutes.getSamples, {
    assertFound: async ({ params, caller }) => {
      if (!(await findTerminal(services.db, caller.user.id, params.terminal_id))) throw AppError.notFound('Terminal');
    },
    handle: async ({ params, query, caller }) => {
      const { id: userId } = caller.user;
      const { terminal_id: terminalId } = params;
      const window = toWindow(query, services.clock.now());
      const db = services.db.slowFor(userId);
      const [uptime, rows] = await Promise.all([
        findUptime(db, userId, terminalId),
        readSamples(db, { terminalId, userId, ...window }),
      ]);
      if (!uptime) throw AppError.notFound('Terminal');
      return toEnvelope('Samples retrieved successfully.', {
        step: window.step,
        columns: [...sampleColumns],
        rows,
        uptime,
      });
    },
  });
};
