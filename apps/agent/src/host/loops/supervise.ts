import type { Logger, Timing } from '@berth/kit';
import type { TerminalDriver } from '../../platforms/driver.ts';
import { decideSupervision, newSupervision, type Supervision } from '../../terminals/supervision.ts';
import type { TerminalKeeper } from '../../terminals/terminal-keeper.ts';
import type { TerminalObservations } from '../../terminals/terminal-observations.ts';

/** A crash must be noticed within 5 s. */
export const SUPERVISE_MS = 1_000;
/** How often every observation is sent even if nothing changed, so that `synced_at` at the server stays fresh. */
export const REFRESH_MS = 60_000;

/**
 * Terminals that are started per round. Starting hundreds at once (after a reboot) would leave the agent no CPU time
 * for its heartbeats, and the host would count as lost.
 */
export const MAX_STARTS = 10;

export interface SuperviseOptions {
  keeper: TerminalKeeper;
  observations: TerminalObservations;
  timing: Timing;
  log: Logger;
}

/**
 * Looks at every open terminal each second: reports observations, restarts what died. Resolves when the signal aborts.
 */
export const runSuperviseLoop = async (options: SuperviseOptions, signal: AbortSignal): Promise<void> => {
  const { keeper, observations, timing } = options;
  const known = new Map<string, Supervision>();
  let refreshAtMs = timing.clock.now();
  while (!signal.aborted) {
    const nowMs = timing.clock.now();
    // More than a period ahead: the clock was set back.
    const isRefresh = nowMs >= refreshAtMs || refreshAtMs - nowMs > REFRESH_MS;
    if (isRefresh) refreshAtMs = nowMs + REFRESH_MS;
    const terminals = keeper.list();
    observations.reportAll(terminals, isRefresh);
    let starts = 0;
    for (const { driver, isBusy } of terminals) {
      const { terminalId } = driver;
      // Not looked at: it is due at the next look.
      if (starts >= MAX_STARTS && !driver.isAlive()) continue;
      const sight = { shouldRun: driver.shouldRun(), isAlive: driver.isAlive(), isBusy };
      const before = known.get(terminalId) ?? newSupervision;
      const { supervision, shouldRestart } = decideSupervision(before, sight, nowMs, timing.random);
      known.set(terminalId, supervision);
      if (!shouldRestart) continue;
      starts += 1;
      restart(driver, supervision.restarts, options, signal);
    }
    for (const terminalId of known.keys()) if (!keeper.find(terminalId)) known.delete(terminalId);
    await timing.sleep(SUPERVISE_MS, signal);
  }
};

/**
 * Starts a terminal in its queue, so that no task runs meanwhile; does not wait for it. The end of the loop abandons
 * it.
 */
const restart = (
  driver: TerminalDriver,
  restarts: number,
  { keeper, log }: SuperviseOptions,
  signal: AbortSignal,
): void => {
  const { terminalId } = driver;
  log.warn({ terminal_id: terminalId, restarts }, 'the terminal is not running; starting it');
  const job = async () => {
    if (!signal.aborted && driver.shouldRun() && !driver.isAlive()) await driver.restart(signal);
  };
  keeper.runOpen(driver, job).catch((error: unknown) => {
    if (!signal.aborted) log.error({ err: error, terminal_id: terminalId }, 'the terminal could not be started');
  });
};
