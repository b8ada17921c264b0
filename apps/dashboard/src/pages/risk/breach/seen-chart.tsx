import { toShare, compare, minus } from '../../../data/decimal.ts';
import { formatDecimal } from '../../../parts/money/format.ts';
import { pageTexts } from '../../../texts/page-texts.ts';
import type { Report } from './evidence.ts';

const words = pageTexts.breach.seen;
const [WIDTH, HEIGHT, PAD] = [600, 140, 6];
const WINDOW_MS = 60_000;

const toX = (ms: number): number =>
  ((Math.max(-WINDOW_MS, Math.min(WINDOW_MS, ms)) + WINDOW_MS) / (2 * WINDOW_MS)) * WIDTH;

/** Equity around the decision as steps, the limit as a line. It is drawn only: its figures are in the table below. */
export const SeenChart = ({ reports, limit }: { reports: readonly Report[]; limit: string | undefined }) => {
  const levels = [...reports.map(({ equity }) => equity), ...(limit === undefined ? [] : [limit])].toSorted(compare);
  const [low, high] = [levels[0] ?? '0', levels.at(-1) ?? '0'];
  const span = minus(high, low);
  const toY = (level: string): number => HEIGHT - PAD - toShare(minus(level, low), span) * (HEIGHT - 2 * PAD);
  const path = reports.map(({ afterMs, equity }, index) => {
    const [x, y] = [toX(afterMs).toFixed(1), toY(equity).toFixed(1)];
    return index === 0 ? `M${x} ${y}` : `H${x}V${y}`;
  });
  const label = words.chart(reports.length, formatDecimal(low) ?? low, formatDecimal(high) ?? high);
  return (
    <figure className="seen">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <line className="seen-decision" x1={WIDTH / 2} x2={WIDTH / 2} y1="0" y2={HEIGHT} />
        {limit === undefined ? null : <line className="seen-limit" x1="0" x2={WIDTH} y1={toY(limit)} y2={toY(limit)} />}
        <path d={path.join('')} />
      </svg>
      <figcaption>
        <span>{words.seconds('−60')}</span>
        <span>{words.decision}</span>
        <span>{words.seconds('+60')}</span>
      </figcaption>
    </figure>
  );
};
