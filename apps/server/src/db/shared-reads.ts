/**
 * Equal reads that arrive while one of them is in progress share the next one. A read that has started is not joined:
 * the answer must contain everything that was committed before its caller asked.
 */
interface UnderWay {
  /** Never rejects. */
  ended: Promise<unknown>;
  next: Promise<unknown> | undefined;
}

export class SharedReads {
  readonly #underWay = new Map<string, UnderWay>();

  /**
   * @param key equal for reads with the same answer; contains their owner
   * @returns an answer that is shared: it must not be modified
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
    // By then the next read, if any, has taken its place.
    void reading.ended.then(() => {
      if (!reading.next) this.#underWay.delete(key);
    });
    return answer;
  }
}
