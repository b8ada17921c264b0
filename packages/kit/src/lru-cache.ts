const MAX_ENTRIES = 10_000;

/**
 * Recently seen values of a few thousand things, by id; the least recently used one is evicted first. It is not shared
 * between processes and does not survive a restart: callers must get a correct result without it.
 */
export class LruCache<Value = string> {
  readonly #entries = new Map<string, Value>();

  get(id: string): Value | undefined {
    const value = this.#entries.get(id);
    if (value !== undefined) this.set(id, value);
    return value;
  }

  /** @param value null: removes the entry */
  set(id: string, value: Value | null): void {
    this.#entries.delete(id);
    if (value === null) return;
    this.#entries.set(id, value);
    if (this.#entries.size <= MAX_ENTRIES) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
