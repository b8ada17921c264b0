import type { EnvReader } from '@berth/kit';

/** What one real terminal may use, with all its processes, whatever launcher it runs through. */
export interface TerminalLimits {
  memoryMb: number;
  processes: number;
  /** Of one processor; 200 is two of them. */
  cpuPercent: number;
}

/**
 * Collects mistakes in the reader. The smallest values are those with which a terminal just starts.
 * @param options.canBeLifted whether 0 is allowed, meaning no limit
 */
export const readTerminalLimits = (env: EnvReader, { canBeLifted }: { canBeLifted: boolean }): TerminalLimits => {
  const toMin = (min: number): number => (canBeLifted ? 0 : min);
  return {
    memoryMb: env.integer('BERTH_AGENT_TERMINAL_MEMORY_MB', { fallback: 1024, min: toMin(128), max: 65_536 }),
    processes: env.integer('BERTH_AGENT_TERMINAL_PROCESSES', { fallback: 256, min: toMin(32), max: 32_768 }),
    cpuPercent: env.integer('BERTH_AGENT_TERMINAL_CPU_PERCENT', { fallback: 100, min: toMin(5), max: 100_000 }),
  };
};
