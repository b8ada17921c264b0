/** Which samples a request asks for. */
import { parseIsoDateTime, type SampleStep } from '@berth/contract';

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
export const toWindow = ({ from, to, step }: Asked, nowMs: number) => {
  const [fromMs, toMs = nowMs] = [toTime(from), toTime(to)];
  const startMs = fromMs ?? toMs - DAY_MS;
  const chosen = step ?? (nowMs - startMs <= spansMs[1] + 60_000 ? 1 : 15);
  const earliestMs = Math.max(0, toMs - spansMs[chosen]);
  return { step: chosen, from: new Date(Math.max(fromMs ?? earliestMs, earliestMs)), to: new Date(toMs) };
};
