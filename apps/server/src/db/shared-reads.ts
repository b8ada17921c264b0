/**
 * Equal reads that arrive while one of them is under way share the next one. A read that has begun is not joined: what was
 * committed before a caller asked has to be in its answer.
 */
interface UnderWay {
  /** Never rejects. */
  ended: Promise<unknown>;
  next: Promise<unknown> | undefined;
}

export class SharedReads {
  readonly #underWay = new Map<string, UnderWay>();

  /**
   * @param key equal for reads whose answers are the same; with their owner in it
   * @returns an answer that others may have, too: it is not to be changed
   */
  read<Result>(key: string, run: () => Promise<Result>): Promise<Result> {
    const reading = this.#underWay.get(key);
    if (!reading) return this.#start(key, run);
    reading.next ??= reading.ended.then(() => this.#start(key, run));
    return reading.next as Promise<Result>;
  }

  #start<Result>(key: string, run: () => Promise<Result>): Promise<Result> {
    const answer = run();
    const reading: UnderWay = { ended: answer.catch(() => undefined), next: undefined };
    this.#underWay.set(key, reading);
    // The next one has taken the place by then, where there is one.
    void reading.ended.then(() => {
      if (!reading.next) this.#underWay.delete(key);
    });
    return answer;
  }
}
