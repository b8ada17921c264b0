export interface MeterProps {
  /** As a share of the whole, 0 to 1. */
  part: number;
  /** In words: "6 of 20 taken". */
  label: string;
}

/** From this share on there is little left. */
const NEARLY_FULL = 0.9;

/** How much of something is used. */
export const Meter = ({ part, label }: MeterProps) => {
  const shown = Math.min(1, Math.max(0, part));
  return (
    <svg
      className="meter"
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      data-full={shown >= NEARLY_FULL ? '' : undefined}
    >
      <rect width="100" height="6" />
      <rect width={shown * 100} height="6" />
    </svg>
  );
};
