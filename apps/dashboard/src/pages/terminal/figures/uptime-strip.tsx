import { toPercentText } from '../../../parts/figure.tsx';
import { toZoned } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import type { Range } from '../search.ts';
import { toParts, type Series } from './series.ts';

const words = pageTexts.terminal.figures;
const CELLS: Record<Range, number> = { day: 48, week: 56, month: 60 };
const CELL = 10;
const HEIGHT = 22;

const toPercent = (value: number | null): string => (value === null ? words.notMeasured : toPercentText(value, 1));

/**
 * 100 % is a full bar; less is shorter and red; without measurements, or when logged out, there is a mark at the
 * bottom.
 */
const toTone = (value: number | null): string =>
  value === null ? 'rest' : value >= 99.5 ? 'good' : value > 50 ? 'wait' : 'bad';

export interface UptimeStripProps {
  link: Series;
  uptime: number | null;
  range: Range;
  /** When the terminal was created, if within the range. */
  since: string | undefined;
}

/** The connection to the broker as a strip of bars, with the overall percentage as text. */
export const UptimeStrip = ({ link, uptime, range, since }: UptimeStripProps) => {
  const parts = toParts(link, CELLS[range]);
  const now = (link.times.at(-1) ?? 0) * 1000;
  const width = Math.max(1, parts.length) * CELL;
  return (
    <svg
      className="uptime bars"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={
        since === undefined
          ? words.strip(toPercent(uptime), words.ranges[range])
          : words.stripSince(toPercent(uptime), toZoned(Date.parse(since), now))
      }
    >
      {parts.map(({ from, value }, index) => {
        const height = value === null ? 3 : Math.max(5, (value / 100) * HEIGHT);
        return (
          <rect
            key={from}
            data-tone={toTone(value)}
            x={index * CELL}
            y={HEIGHT - height}
            width={CELL - 2}
            height={height}
          >
            <title>{words.stripCell(toZoned(from * 1000, now), toPercent(value))}</title>
          </rect>
        );
      })}
    </svg>
  );
};
