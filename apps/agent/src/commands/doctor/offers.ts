import type { Finding } from './finding.ts';
import type { HostFacts } from './host-facts.ts';

/** What one platform could be on this host. */
export interface PossibleOffer {
  platform: 'mt5' | 'mt4';
  launcher: 'wine';
  isOffered: boolean;
  isolation: 'full' | 'none';
  /** What each terminal has of its own beyond its box; empty at isolation `none`. */
  own: readonly ('user' | 'limits')[];
  /** How many the memory allows. */
  terminals: number;
  /** Checks that keep the platform from being offered. */
  obstacles: readonly string[];
}

/** What the system and the agent keep for themselves. */
const RESERVED_BYTES = 1024 ** 3;

/** How many terminals the memory allows. Pure. */
export const toTerminalCount = ({ memory }: HostFacts, terminalMemoryBytes: number): number => {
  const usable = Math.min(memory.totalBytes, memory.limitBytes ?? Infinity) - RESERVED_BYTES;
  return Math.max(0, Math.floor(usable / terminalMemoryBytes));
};

/** What the findings leave possible. @param isolation the one that is asked for. Pure. */
export const toOffers = (
  facts: HostFacts,
  findings: readonly Finding[],
  { isolation, terminals }: { isolation: 'full' | 'none'; terminals: number },
): PossibleOffer[] =>
  (['mt5', 'mt4'] as const).map((platform) => {
    const wanted: readonly string[] = isolation === 'full' ? [platform, 'full'] : [platform];
    const blocking = findings.filter(({ blocks = [] }) => blocks.some((block) => wanted.includes(block)));
    const own = [
      ...(facts.wall.users === 'own' ? ['user' as const] : []),
      ...(facts.wall.limits === 'none' ? [] : ['limits' as const]),
    ];
    return {
      platform,
      launcher: 'wine',
      isOffered: blocking.length === 0,
      isolation,
      own: isolation === 'full' ? own : [],
      terminals: blocking.length === 0 ? terminals : 0,
      obstacles: [...new Set(blocking.map(({ check }) => check))],
    };
  });
