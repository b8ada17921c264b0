import { TerminalStatus } from '@berth/contract/values';
import type { Observation } from '../../driver.ts';
import type { EditionTiming } from '../edition.ts';
import type { Observations } from './observations.ts';

interface LinkHoldOptions {
  edition: { timing: Pick<EditionTiming, 'linkHoldMs'> };
  observations: Observations;
  /** Reads the journal up to its current end. */
  catchUp: () => Promise<void>;
  /** Called when the loss is no longer held back. */
  onEnd: () => void;
}

/**
 * Holds back the report that a terminal lost the connection to its trading server: access points are switched, and most
 * losses end within seconds. Measurements show them nevertheless.
 *
 *  reported ─ lost ─▶ held ─ back in time, or ended ─▶ reported (the loss is dropped)
 *                        └─── `linkHoldMs` later ─────▶ reported
 *
 * A newly started agent does not know how long the connection has been lost. The server still has the last report of
 * the previous agent, so the loss is held back then as well. An agent that was suspended may find the time over before
 * it has read that the connection is back: so it reads first.
 */
export class LinkHold {
  readonly #options: LinkHoldOptions;
  readonly #holdMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: LinkHoldOptions) {
    this.#options = options;
    this.#holdMs = options.edition.timing.linkHoldMs;
  }

  /**
   * Reports the observation, or holds it back. @param isAlive false for a terminal that has ended: that is reported
   * immediately
   */
  take(observation: Observation, isAlive: boolean): void {
    const { ACTIVE, DISCONNECTED } = TerminalStatus;
    const { observations } = this.#options;
    const reported = observations.get()?.status ?? ACTIVE;
    const isLoss = isAlive && observation.status === DISCONNECTED && reported === ACTIVE && this.#holdMs > 0;
    if (isLoss && !this.#isOver) {
      this.#timer ??= setTimeout(() => void this.#end(), this.#holdMs).unref();
      return;
    }
    this.stop();
    observations.set(observation);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isOver = false;
  }

  async #end(): Promise<void> {
    const ended = this.#timer;
    await this.#options.catchUp();
    if (this.#timer !== ended) return;
    this.#isOver = true;
    this.#options.onEnd();
  }
}
