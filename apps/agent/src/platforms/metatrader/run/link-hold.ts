import { TerminalStatus } from '@berth/contract/values';
import type { Observation } from '../../driver.ts';
import type { EditionTiming } from '../edition.ts';
import type { Observations } from './observations.ts';

interface LinkHoldOptions {
  edition: { timing: Pick<EditionTiming, 'linkHoldMs'> };
  observations: Observations;
  /** Takes in what the journal says by now. */
  catchUp: () => Promise<void>;
  /** Called when the news is not held any longer. */
  onEnd: () => void;
}

/**
 * Holds the news that a terminal lost its trading server: access points are switched, and most losses end within seconds. What
 * is measured shows them all the same.
 *
 *   reported ─ lost ─▶ held ─ back in time, or ended ─▶ reported (the loss is no news)
 *                        └─── `linkHoldMs` later ─────▶ reported
 *
 * An agent that has just begun does not know for how long the link is lost. The server still has the word of the agent before
 * it, so the loss is held then as well. An agent that stood still finds the time over before it has read that the link is back:
 * it reads first.
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

  /** Reports the observation, or holds it. @param isAlive false for a terminal that has ended: that is news at once */
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
