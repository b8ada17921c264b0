/** The 21 periods and their minutes. */
const MINUTES = {
  M1: 1,
  M2: 2,
  M3: 3,
  M4: 4,
  M5: 5,
  M6: 6,
  M10: 10,
  M12: 12,
  M15: 15,
  M20: 20,
  M30: 30,
  H1: 60,
  H2: 120,
  H3: 180,
  H4: 240,
  H6: 360,
  H8: 480,
  H12: 720,
  D1: 1440,
  W1: 10_080,
  MN1: 43_200,
} as const;

export type Period = keyof typeof MINUTES;

const codes = Object.keys(MINUTES) as Period[];

export const toMinutes = (period: Period): number => MINUTES[period];

/** The period of a code such as `M15`; an unknown code is H1, the terminal's default. */
export const toPeriod = (code: string | undefined): Period =>
  codes.find((known) => known === code?.toUpperCase()) ?? 'H1';

export const toPeriodOfMinutes = (minutes: number): Period => codes.find((code) => MINUTES[code] === minutes) ?? 'H1';

/** Minutes are (0, n), hours and the day (1, n), the week (2, 1), the month (3, 1): how MetaTrader 5 stores a period. */
export const toTypeAndSize = (period: Period): { type: number; size: number } => {
  const minutes = MINUTES[period];
  if (period === 'MN1') return { type: 3, size: 1 };
  if (period === 'W1') return { type: 2, size: 1 };
  return minutes < 60 ? { type: 0, size: minutes } : { type: 1, size: minutes / 60 };
};

export const toPeriodOfTypeAndSize = (type: number, size: number): Period =>
  codes.find((code) => {
    const stored = toTypeAndSize(code);
    return stored.type === type && stored.size === size;
  }) ?? 'H1';
