import type { Tone } from './status-mark.tsx';

const WIDTH = 44;
const HEIGHT = 14;

export interface SparkProps {
  /** Oldest first; null where there was no measurement. */
  values: readonly (number | null)[];
  /** A description of the line. */
  label: string;
}

/** A small line of the latest values; it has no axis, so the figure is next to it. */
export const Spark = ({ values, label }: SparkProps) => {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return <svg className="spark" role="img" aria-label={label} />;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const range = high - low || 1;
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.flatMap((value, index) =>
    value === null
      ? []
      : [`${(index * step).toFixed(1)},${(HEIGHT - 2 - ((value - low) / range) * (HEIGHT - 4)).toFixed(1)}`],
  );
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <polyline points={points.join(' ')} />
    </svg>
  );
};

export interface BarsProps {
  /** Oldest first, one bar each. */
  tones: readonly Tone[];
  /** A description of the bars: "99.8 % up in the last 24 hours". */
  label: string;
}

const BAR_WIDTH = 4;

/** The last day as 24 bars; one that is not good is shorter, so that it is visible in grey too. */
export const Bars = ({ tones, label }: BarsProps) => {
  const width = tones.length * BAR_WIDTH;
  return (
    <svg
      className="bars"
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="img"
      aria-label={label}
    >
      {tones.map((tone, index) => {
        const height = tone === 'good' ? HEIGHT : tone === 'rest' ? 3 : 8;
        return (
          <rect
            key={index}
            data-tone={tone}
            x={index * BAR_WIDTH}
            y={HEIGHT - height}
            width={3}
            height={height}
            rx={1}
          />
        );
      })}
    </svg>
  );
};
