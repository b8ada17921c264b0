/**
 * Which versions of Wine run MetaTrader, according to public reports. Berth has tried none of them with a real
 * terminal; the version of Berth's own test suite is listed too. Each line names its source, so that a better one can
 * replace it.
 */

/** From good to bad: reported to run; older than the terminal asks for; unknown; reported to fail. */
export type WineVerdict = 'good' | 'old' | 'untried' | 'bad';

export interface WineVersion {
  major: number;
  minor: number;
  isStaging: boolean;
}

interface KnownVersions {
  from: readonly [major: number, minor: number];
  /** Inclusive. */
  to: readonly [major: number, minor: number];
  /** Only builds of the staging branch, or only others; absent where it makes no difference. */
  isStaging?: boolean;
  verdict: WineVerdict;
  /** Whole sentences. */
  source: string;
}

/** The first matching line counts. */
const knownVersions: readonly KnownVersions[] = [
  {
    from: [0, 0],
    to: [7, 99],
    verdict: 'old',
    source: 'MetaTrader asks for Wine 10.0 or later in its journal, and nobody is known to run it on this version.',
  },
  {
    from: [8, 0],
    to: [8, 99],
    verdict: 'old',
    source:
      "Berth's own suite runs on Debian 12's Wine 8.0. MetaTrader warns in its journal: unstable and unsupported, upgrade to Wine 10.0 or later.",
  },
  {
    from: [9, 0],
    to: [9, 0],
    verdict: 'good',
    source: "Public projects run MetaTrader on Ubuntu 24.04's Wine 9.0. Its journal asks for Wine 10.0 or later.",
  },
  {
    from: [10, 0],
    to: [10, 0],
    verdict: 'good',
    source:
      'Public projects run MetaTrader on Wine 10.0 (WineHQ stable, Kron4ek); Debian 13 comes with it. Keep it: pin all of its packages, as a pin on winehq-stable alone drifts to 11.',
  },
  {
    from: [10, 3],
    to: [10, 99],
    isStaging: true,
    verdict: 'good',
    source: "Public projects run MetaTrader on staging 10.20, and the vendor's own script installs staging.",
  },
  {
    from: [10, 3],
    to: [10, 99],
    verdict: 'bad',
    source:
      'On Wine 10.3 to 10.20 MetaTrader says "A debugger has been found running in your system" and does not start (WineHQ bugs 58043 and 59074).',
  },
  {
    from: [11, 0],
    to: [11, 99],
    verdict: 'bad',
    source:
      'On Wine 11 most installers find a debugger and stop, and staging 11.13 left a terminal without any network; single projects run builds of 2026 on 11.15 and 11.17.',
  },
];

const UNTRIED = 'Nobody is known to have run MetaTrader on this version.';

/** What to install instead of a version that is not good. */
export const WINE_ADVICE =
  "Use Debian 13 with its own Wine 10.0 (apt install wine wine64), or WineHQ's 10.0 with all four packages held: winehq-stable, wine-stable, wine-stable-amd64, wine-stable-i386.";

/** @param text what a loader prints for --version, such as `wine-10.20 (Staging)` */
export const findWineVersion = (text: string): WineVersion | undefined => {
  const [, major, minor] = /\bwine-(\d{1,3})\.(\d{1,3})/.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), isStaging: /\(staging\)/i.test(text) };
};

const compare = (one: readonly [number, number], other: readonly [number, number]): number =>
  one[0] - other[0] || one[1] - other[1];

/** What is known of a version. Pure. */
export const judgeWineVersion = ({ major, minor, isStaging }: WineVersion): { verdict: WineVerdict; source: string } =>
  knownVersions.find(
    (known) =>
      compare(known.from, [major, minor]) <= 0 &&
      compare([major, minor], known.to) <= 0 &&
      (known.isStaging ?? isStaging) === isStaging,
  ) ?? { verdict: 'untried', source: UNTRIED };
