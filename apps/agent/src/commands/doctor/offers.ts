import type { OfferDescription } from '../../platforms/driver.ts';
import { toMemoryCapacity } from '../../host/facts.ts';
import type { Finding } from './finding.ts';
import type { HostFacts } from './host-facts.ts';

/** What a host could offer for one platform. */
export interface PossibleOffer {
  platform: 'mt5' | 'mt4';
  launcher: 'wine';
  isOffered: boolean;
  isolation: 'full' | 'none';
  /** What each terminal has of its own beyond its box; empty at isolation `none`. */
  own: readonly ('user' | 'limits')[];
  /** How many the memory allows. */
  terminals: number;
  /** Checks that prevent the platform from being offered. */
  obstacles: readonly string[];
}

const MEGABYTE = 1024 * 1024;

/** How many terminals the memory allows, computed as by the agent that reports it to the server. Pure. */
export const toTerminalCount = ({ memory }: HostFacts, terminalMemoryBytes: number): number => {
  const totalMb = Math.min(memory.totalBytes, memory.limitBytes ?? Infinity) / MEGABYTE;
  const terminalMemoryMb = terminalMemoryBytes / MEGABYTE;
  const offer: OfferDescription = { platform: 'mt5', launcher: 'wine', isolation: 'full', bases: [], terminalMemoryMb };
  return toMemoryCapacity(Math.floor(totalMb), [offer], 1);
};

/** What the findings allow. @param isolation the requested level. Pure. */
export const toOffers = (
  facts: HostFacts,
  findings: readonly Finding[],
  { isolation, terminals }: { isolation: 'full' | 'none'; terminals: number },
): PossibleOffer[] =>
  (['mt5', 'mt4'] as const).map((platform) => {
    const wanted: readonly string[] = isolation === 'full' ? [platform, 'full'] : [platform];
    const blocking = findings.filter(({ blocks = [] }) => blocks.some((block) => wanted.includes(block)));
    const own = [
      ...(facts.isolation.users === 'own' ? ['user' as const] : []),
      ...(facts.isolation.limits === 'none' ? [] : ['limits' as const]),
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
