/** What a platform or an isolation level needs and lacks. */
export type Blocked = 'mt5' | 'mt4' | 'full';

export interface Finding {
  /** For programs; it never changes. */
  check: string;
  /** For people. */
  title: string;
  /** As it should be; worth knowing; prevents something. */
  level: 'ok' | 'note' | 'problem';
  seen: string;
  /** What to install or to do, in whole sentences. */
  advice?: string;
  blocks?: readonly Blocked[];
  /** Debian packages to install. */
  packages?: readonly string[];
}

/** Under Wine both platforms need the same. */
export const BOTH = ['mt5', 'mt4'] as const;

const GIGA = 1024 ** 3;

/** Pure. */
export const toGigabytes = (bytes: number): string => {
  const size = bytes / GIGA;
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} GB`;
};
