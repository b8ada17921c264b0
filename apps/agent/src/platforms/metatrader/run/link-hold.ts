import { TerminalStatus } from '@berth/contract/values';
import type { Observation } from '../../driver.ts';
import type { EditionTiming } from '../edition.ts';
import type { Observations } from './observations.ts';

interface LinkHoldOptions {
  edition: { timing: Pick<EditionTiming, 'linkHoldMs'> };
  observations: Observations;
}

/**
 * Holds the news that a terminal lost its trading server: access points are switched, and most losses end within seconds. What
 * is measured shows them all the same.
 *
 *   reported ─ lost ─▶ held ─ back in time, or ended ─▶ reported (the loss is no news)
 *                        └─── `linkHoldMs` later ─────▶ reported
 *
 * An agent that has just begun does not know for how long the link is lost. The server still has the word of the agent before
 * it, so the loss is held then as well.
 */
export class LinkHold {
  readonly #holdMs: number;
  readonly #observations: Observations;
  readonly #onEnd: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param onEnd called when the news is not held any longer */
  constructor({ edition, observations }: LinkHoldOptions, onEnd: () => void) {
    this.#holdMs = edition.timing.linkHoldMs;
    this.#observations = observations;
    this.#onEnd = onEnd;
  }

  /** Reports the observation, or holds it. @param isAlive false for a terminal that has ended: that is news at once */
  take(observation: Observation, isAlive: boolean): void {
    const { ACTIVE, DISCONNECTED } = TerminalStatus;
    const reported = this.#observations.get()?.status ?? ACTIVE;
    const isLoss = isAlive && observation.status === DISCONNECTED && reported === ACTIVE && this.#holdMs > 0;
    if (isLoss && !this.#isOver) {
      this.#timer ??= setTimeout(() => this.#end(), this.#holdMs).unref();
      return;
    }
    this.stop();
    this.#observations.set(observation);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isOver = false;
  }

  #end(): void {
    this.#isOver = true;
    this.#onEnd();
  }
}
