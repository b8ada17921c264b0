/**
 * Measures every open terminal, and reports the samples immediately. Samples that cannot be reported are lost: the next
 * round is worth more than the last one, and nothing piles up while the server is down.
 */
import { MAX_BUILD, MAX_SAMPLES } from '@berth/contract/values';
import type { Sample } from '@berth/contract/agent';
import type { Logger, Timing } from '@berth/kit';
import type { TerminalDriver, TerminalLoad } from '../../platforms/driver.ts';
import type { ServerCalls } from '../../server/server-calls.ts';
import type { TerminalKeeper } from '../../terminals/terminal-keeper.ts';
import type { FactReporter } from '../facts.ts';

/** A terminal that cannot be measured in this time is left out of the round, and of later ones until it is done. */
const MEASURE_MS = 5_000;
/** Terminals that are measured at once: each reads some files, and the agent's journal uses the same few threads. */
const AT_ONCE = 8;

export interface SampleOptions {
  server: Pick<ServerCalls, 'sendSamples'>;
  keeper: Pick<TerminalKeeper, 'list' | 'find'>;
  facts: FactReporter | undefined;
  intervalMs: number;
  timing: Timing;
  /** Milliseconds of a monotonic clock. */
  elapsedMs?: () => number;
  log: Logger;
}

/** The CPU time that a terminal had used, and when. */
interface ProcessorMark {
  cpuMs: number;
  atMs: number;
}

const MEGABYTE = 1024 * 1024;

const toMegabytes = (bytes: number | null): number | null => (bytes === null ? null : Math.round(bytes / MEGABYTE));
const toTenths = (value: number): number => Math.round(value * 10) / 10;

/**
 * Of one core, in percent. Null where the base is unknown: on the first look, and where processes that had used some
 * are gone.
 */
export const toCpuPercent = (before: ProcessorMark | undefined, now: ProcessorMark): number | null => {
  if (!before || now.cpuMs < before.cpuMs || now.atMs <= before.atMs) return null;
  return toTenths((100 * (now.cpuMs - before.cpuMs)) / (now.atMs - before.atMs));
};

class Round {
  readonly #options: SampleOptions;
  readonly #elapsedMs: () => number;
  readonly #marks = new Map<string, ProcessorMark>();
  /** Terminals that are still being measured. */
  readonly #pending = new Set<string>();

  constructor(options: SampleOptions) {
    this.#options = options;
    this.#elapsedMs = options.elapsedMs ?? (() => performance.now());
  }

  async measureAll(): Promise<Sample[]> {
    const { keeper } = this.#options;
    const drivers = keeper.list().map(({ driver }) => driver);
    for (const id of this.#marks.keys()) if (!keeper.find(id)) this.#marks.delete(id);
    const samples: Sample[] = [];
    const work = async () => {
      for (let driver = drivers.pop(); driver; driver = drivers.pop()) {
        const sample = await this.#measure(driver);
        if (sample) samples.push(sample);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return samples;
  }

  async #measure(driver: TerminalDriver): Promise<Sample | undefined> {
    const { timing, log } = this.#options;
    const { terminalId } = driver;
    if (!driver.measure || this.#pending.has(terminalId)) return undefined;
    this.#pending.add(terminalId);
    const measuring = driver.measure().finally(() => this.#pending.delete(terminalId));
    const enough = new AbortController();
    try {
      const late = timing.sleep(MEASURE_MS, enough.signal).then(() => undefined);
      const load = await Promise.race([measuring, late]);
      return load && this.#toSample(terminalId, load);
    } catch (error) {
      log.debug({ err: error, terminal_id: terminalId }, 'the terminal could not be measured');
      return undefined;
    } finally {
      enough.abort();
      measuring.catch(() => undefined);
    }
  }

  #toSample(terminalId: string, load: TerminalLoad): Sample {
    const { link, pingMs, memoryBytes, cpuMs, diskBytes, build } = load;
    let cpuPercent: number | null = null;
    if (cpuMs === null) {
      this.#marks.delete(terminalId);
    } else {
      const mark = { cpuMs, atMs: this.#elapsedMs() };
      cpuPercent = toCpuPercent(this.#marks.get(terminalId), mark);
      this.#marks.set(terminalId, mark);
    }
    return {
      terminal_id: terminalId,
      link,
      ping_ms: pingMs === null ? null : toTenths(pingMs),
      memory_mb: toMegabytes(memoryBytes),
      cpu_percent: cpuPercent,
      disk_mb: toMegabytes(diskBytes),
      // Read from a journal, which may contain anything.
      build: build !== null && build <= MAX_BUILD ? build : null,
    };
  }
}

/**
 * Measures every `intervalMs`, with an offset of its own, so that many hosts do not report at once. Resolves when the
 * signal aborts.
 */
export const runSampleLoop = async (options: SampleOptions, signal: AbortSignal): Promise<void> => {
  const { server, facts, intervalMs, timing, elapsedMs = () => performance.now(), log } = options;
  const round = new Round(options);
  await timing.sleep(timing.random() * intervalMs, signal);
  while (!signal.aborted) {
    const beganAtMs = elapsedMs();
    await facts?.refresh();
    const samples = await round.measureAll();
    for (let from = 0; from < samples.length && !signal.aborted; from += MAX_SAMPLES) {
      // The heartbeat gets a fatal answer as well, which ends the service.
      await server.sendSamples(samples.slice(from, from + MAX_SAMPLES), signal).catch((error: unknown) => {
        log.debug({ err: error }, 'samples were lost');
      });
    }
    await timing.sleep(Math.max(0, intervalMs - (elapsedMs() - beganAtMs)), signal);
  }
};
