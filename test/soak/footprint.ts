/** What the long-lived processes hold: memory and open files, sampled whenever the scene is settled (Linux only). */
import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import type { FarScene } from '../faults/far-scene.ts';

export type FollowedRole = 'server' | 'agent' | 'trading server';

export interface Footprint {
  cycle: number;
  pid: number;
  rssMib: number;
  fds: number;
}

export interface Trend {
  /** From the first sample of the followed life that counts to the last. */
  cycles: number;
  samples: number;
  rssFirstMib: number;
  rssLastMib: number;
  /** Least squares over all samples that count. */
  rssSlopeMibPer100: number;
  fdsFirst: number;
  fdsLast: number;
}

const readFootprint = (cycle: number, pid: number): Footprint => {
  const [, kib = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { cycle, pid, rssMib: Number(kib) / 1024, fds: readdirSync(`/proc/${pid}/fd`).length };
};

export const sampleFootprints = (scene: FarScene, cycle: number): Record<FollowedRole, Footprint> => ({
  server: readFootprint(cycle, scene.stack.server.pid),
  agent: readFootprint(cycle, scene.host.agent.pid),
  'trading server': readFootprint(cycle, scene.tradingServer.pid),
});

/** What the far host's own disk holds; undefined where it has none. */
export const measureDiskMib = ({ host }: FarScene): number | undefined => {
  if (!host.hasDisk) return undefined;
  const { blocks, bfree, bsize } = statfsSync(host.directory);
  return ((blocks - bfree) * bsize) / 1024 / 1024;
};

/** A heap takes its time to find its size: this part of a life does not count. */
const WARM_UP = 0.25;
/** Fewer samples say nothing. */
const MIN_SAMPLES = 8;

const toMedian = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

const toSlope = (points: readonly (readonly [number, number])[]): number => {
  const toMean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [meanX, meanY] = [toMean(0), toMean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
};

/** The longest life among the samples, after its warm-up; first and last are medians of a quarter each. */
export const toTrend = (samples: readonly Footprint[]): Trend | undefined => {
  const lives = new Map<number, Footprint[]>();
  for (const sample of samples) lives.set(sample.pid, [...(lives.get(sample.pid) ?? []), sample]);
  const longest = [...lives.values()].sort((a, b) => b.length - a.length)[0] ?? [];
  const counted = longest.slice(Math.floor(longest.length * WARM_UP));
  if (counted.length < MIN_SAMPLES) return undefined;
  const quarter = Math.floor(counted.length / 4);
  const [first, last] = [counted.slice(0, quarter), counted.slice(-quarter)];
  return {
    cycles: counted.at(-1)!.cycle - counted[0]!.cycle,
    samples: counted.length,
    rssFirstMib: toMedian(first.map(({ rssMib }) => rssMib)),
    rssLastMib: toMedian(last.map(({ rssMib }) => rssMib)),
    rssSlopeMibPer100: 100 * toSlope(counted.map(({ cycle, rssMib }) => [cycle, rssMib])),
    fdsFirst: toMedian(first.map(({ fds }) => fds)),
    fdsLast: toMedian(last.map(({ fds }) => fds)),
  };
};

/** Heaps breathe: only what is beyond any breath is called a leak. */
const MAX_RSS_GROWTH = { factor: 1.5, mib: 48 };
const MAX_FDS_GROWTH = 16;

/** @returns what leaks, in words; undefined when nothing clearly does */
export const findLeak = ({ rssFirstMib, rssLastMib, fdsFirst, fdsLast }: Trend): string | undefined => {
  if (rssLastMib > rssFirstMib * MAX_RSS_GROWTH.factor && rssLastMib - rssFirstMib > MAX_RSS_GROWTH.mib) {
    return `its memory grew from ${rssFirstMib.toFixed(0)} to ${rssLastMib.toFixed(0)} MiB`;
  }
  if (fdsLast - fdsFirst > MAX_FDS_GROWTH) return `its open files grew from ${fdsFirst} to ${fdsLast}`;
  return undefined;
};
