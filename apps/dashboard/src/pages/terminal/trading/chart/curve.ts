/**
 * From points of the history to what is drawn: lines in a box of 1000 by 320, whatever the size on the screen. Pure.
 * Amounts become numbers here, because a pixel needs no cents; what is read as a figure stays the text that it was.
 */
export const [WIDTH, HEIGHT] = [1000, 320];

/** A step of the history; amounts as decimal strings, `at` is when it began. */
export interface CurvePoint {
  at: string;
  balance: string;
  equity_min: string;
  equity_max: string;
  equity: string;
}

/** Unix milliseconds. */
export interface Span {
  from: number;
  to: number;
}

export interface Tick {
  /** 0 to 1000, or to 320. */
  place: number;
  value: number;
}

export interface Line {
  kind: 'limit' | 'high';
  y: number;
  value: string;
}

export interface Curve {
  equity: string;
  balance: string;
  /** From the lowest to the highest equity of each step. */
  band: string;
  /** Stretches without figures, as shares of the width: 0 to 1. */
  gaps: { from: number; to: number; span: Span }[];
  ticks: Tick[];
  lines: Line[];
  toX: (at: number) => number;
  toY: (value: number) => number;
}

/** 1, 2 or 5 times a power of ten: about `count` of them cover the span. */
export const toNiceStep = (span: number, count: number): number => {
  const rough = span / count;
  if (!(rough > 0) || !Number.isFinite(rough)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
};

/** A line that is further away than this, in heights of the curve, would make it flat: it is said beside the chart. */
const MAX_AWAY = 4;
const MIN_SPAN_SHARE = 0.002;

interface Range {
  low: number;
  high: number;
}

const toRange = (points: readonly CurvePoint[], lines: readonly number[]): Range => {
  const values = points.flatMap((point) => [
    Number(point.equity_min),
    Number(point.equity_max),
    Number(point.balance),
    Number(point.equity),
  ]);
  let low = values.reduce((least, value) => Math.min(least, value), Infinity);
  let high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  const least = Math.max(Math.abs(high) * MIN_SPAN_SHARE, 0.01);
  if (high - low < least) [low, high] = [(low + high - least) / 2, (low + high + least) / 2];
  const reach = (high - low) * MAX_AWAY;
  for (const value of lines) {
    if (value < low - reach || value > high + reach) continue;
    [low, high] = [Math.min(low, value), Math.max(high, value)];
  }
  const air = (high - low) * 0.06;
  return { low: low - air, high: high + air };
};

const toTicks = ({ low, high }: Range, toY: (value: number) => number): Tick[] => {
  const step = toNiceStep(high - low, 5);
  const first = Math.ceil(low / step);
  const count = Math.max(0, Math.floor(high / step) - first + 1);
  return Array.from({ length: count }, (_, index) => (first + index) * step).map((value) => ({
    place: toY(value),
    value,
  }));
};

/** Points without a hole between them. */
const toStretches = (points: readonly CurvePoint[], stepMs: number): CurvePoint[][] => {
  const stretches: CurvePoint[][] = [];
  let last = -Infinity;
  for (const point of points) {
    const at = Date.parse(point.at);
    if (at - last > stepMs * 1.5) stretches.push([]);
    stretches.at(-1)?.push(point);
    last = at;
  }
  return stretches;
};

const shorten = (value: number): string => String(Math.round(value * 10) / 10);

export interface CurveOptions {
  span: Span;
  stepSeconds: number;
  /** Where a rule acts, and the highest equity that it counts from. */
  lines?: readonly { kind: Line['kind']; value: string }[];
  /** Until when there should be figures: after the last one, the rest up to here is a gap. */
  until: number;
}

/** @param points in the order of time; undefined where there are none in the span */
export const toCurve = (points: readonly CurvePoint[], options: CurveOptions): Curve | undefined => {
  const { span, stepSeconds, lines = [], until } = options;
  const stepMs = stepSeconds * 1000;
  const shown = points.filter(({ at }) => Date.parse(at) >= span.from - stepMs && Date.parse(at) <= span.to);
  const [first, last] = [shown[0], shown.at(-1)];
  if (!first || !last) return undefined;
  const range = toRange(
    shown,
    lines.map(({ value }) => Number(value)),
  );
  const toX = (at: number): number =>
    Math.min(WIDTH, Math.max(0, ((at - span.from) / (span.to - span.from || 1)) * WIDTH));
  const toY = (value: number): number => ((range.high - value) / (range.high - range.low)) * HEIGHT;
  const point = (at: string, value: string): string => `${shorten(toX(Date.parse(at)))} ${shorten(toY(Number(value)))}`;
  const stretches = toStretches(shown, stepMs);
  const gaps = stretches.map((stretch, index) => {
    const from = Math.min(span.to, Date.parse(stretch.at(-1)?.at ?? '') + stepMs);
    const next = stretches[index + 1]?.[0];
    return { from, to: next ? Date.parse(next.at) : Math.min(until, span.to) };
  });
  return {
    equity: stretches
      .map(
        (stretch) =>
          `M${stretch.map(({ at, equity }) => point(at, equity)).join('L')}${stretch.length > 1 ? '' : 'h.1'}`,
      )
      .join(''),
    balance: stretches
      .map((stretch) => {
        const steps = stretch.slice(1).map(({ at, balance }) => {
          const [x, y] = point(at, balance).split(' ');
          return `H${x}V${y}`;
        });
        return `M${point(stretch[0]?.at ?? '', stretch[0]?.balance ?? '')}${steps.join('')}`;
      })
      .join(''),
    band: stretches
      .map((stretch) => {
        const above = stretch.map(({ at, equity_max: high }) => point(at, high));
        const below = stretch.toReversed().map(({ at, equity_min: low }) => point(at, low));
        return `M${[...above, ...below].join('L')}Z`;
      })
      .join(''),
    gaps: gaps
      .filter(({ from, to }) => to - from > stepMs)
      .map((gap) => ({ from: toX(gap.from) / WIDTH, to: toX(gap.to) / WIDTH, span: gap })),
    ticks: toTicks(range, toY),
    lines: lines
      .filter(({ value }) => Number(value) >= range.low && Number(value) <= range.high)
      .map(({ kind, value }) => ({ kind, value, y: toY(Number(value)) })),
    toX,
    toY,
  };
};

/** Round times of the reader's day, about `count` of them. */
export const toTimeTicks = ({ from, to }: Span, count: number): number[] => {
  const hours = (to - from) / 3_600_000;
  const step = [1, 2, 3, 4, 6, 12, 24, 48, 120, 240, 720, 1440].find((each) => hours / each <= count) ?? 2160;
  const day = new Date(from);
  day.setHours(0, 0, 0, 0);
  const ticks: number[] = [];
  // By the calendar of the reader, so that a day of 23 or 25 hours begins at its midnight, too.
  for (let index = 0; ticks.length <= count + 1; index += 1) {
    const at = new Date(day.getFullYear(), day.getMonth(), day.getDate(), index * step).getTime();
    if (at > to) break;
    if (at >= from) ticks.push(at);
  }
  return ticks;
};

/** The point that is nearest to a place, 0 to 1, of the width; -1 where there is none. */
export const findNearest = (points: readonly CurvePoint[], { from, to }: Span, share: number): number => {
  const wanted = from + share * (to - from);
  let nearest = -1;
  let least = Infinity;
  for (const [index, { at }] of points.entries()) {
    const away = Math.abs(Date.parse(at) - wanted);
    if (away >= least) continue;
    [nearest, least] = [index, away];
  }
  return nearest;
};
