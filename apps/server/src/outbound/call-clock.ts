/** The time of one call, and all that may end it early. */
import { OutboundError, type OutboundErrorCode } from './errors.ts';

export type CallStage = 'waiting' | 'resolving' | 'connecting' | 'sending' | 'reading';

/** What is said when the time is over, by what was going on. */
const late: Record<CallStage, readonly [OutboundErrorCode, string]> = {
  waiting: ['busy', 'This server has too many other calls under way. Try again later.'],
  resolving: ['timeout', 'The name could not be looked up in time.'],
  connecting: ['timeout', 'No connection could be made in time.'],
  sending: ['timeout', 'No answer came in time.'],
  reading: ['answer_too_slow', 'The answer began, but was not complete in time.'],
};

export class CallClock {
  /** Ends whatever the call is doing. */
  readonly signal: AbortSignal;
  stage: CallStage = 'waiting';
  readonly #startedAtMs = performance.now();
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #caller: AbortSignal | undefined;

  /** @param caller may call it off */
  constructor(ms: number, caller: AbortSignal | undefined) {
    this.signal = this.#controller.signal;
    this.#caller = caller;
    this.#timer = setTimeout(() => this.#end(new OutboundError(...late[this.stage])), ms);
    caller?.addEventListener('abort', this.cancel, { once: true });
    if (caller?.aborted) this.cancel();
  }

  get elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAtMs);
  }

  /**
   * Waits for work, but no longer than the call may take. Work that is given up ends by the signal.
   * @throws OutboundError timeout, answer_too_slow, busy or cancelled
   */
  async race<Result>(work: Promise<Result>): Promise<Result> {
    const over = new Promise<never>((_resolve, reject) => {
      const end = (): void => reject(this.signal.reason as OutboundError);
      if (this.signal.aborted) end();
      else this.signal.addEventListener('abort', end, { once: true });
    });
    return Promise.race([over, work]);
  }

  readonly cancel = (): void => this.#end(new OutboundError('cancelled', 'The call was called off.'));

  stop(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.cancel);
  }

  #end(reason: OutboundError): void {
    this.stop();
    this.#controller.abort(reason);
  }
}
