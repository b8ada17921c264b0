import type { ProbeAccount } from './account.ts';
import type { ProbeTerminal } from './probe-terminal.ts';

/** The result of trying something that nobody has tried on a real terminal. */
export interface Finding {
  /** As the driver expects; different; undecided; not tried. */
  outcome: 'as expected' | 'otherwise' | 'unclear' | 'not tried';
  /** Whole sentences, or lines of the journal. Secrets are removed before anybody reads them. */
  seen: string[];
}

export interface Trial {
  terminal: ProbeTerminal;
  account: ProbeAccount | undefined;
}

export interface Point {
  id: string;
  title: string;
  /** What is done, for the reader of the report. */
  tried: string;
  needsAccount?: boolean;
  run(trial: Trial): Promise<Finding>;
}

export const toFinding = (isExpected: boolean | undefined, seen: (string | undefined)[]): Finding => ({
  outcome: isExpected === undefined ? 'unclear' : isExpected ? 'as expected' : 'otherwise',
  seen: seen.filter((text) => text !== undefined),
});

export const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
