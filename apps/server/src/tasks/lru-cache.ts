const MAX_ENTRIES = 10_000;

/**
 * Recently seen values of a few thousand things, by id; the least recently used one is evicted first. It is not shared
 * between servers and does not survive a restart: callers must get a correct result without it.
 */
export class LruCache {
  readonly #entries = new Map<string, string>();

  get(id: string): string | undefined {
    const value = this.#entries.get(id);
    if (value !== undefined) this.set(id, value);
    return value;
  }

  /** @param value null: removes the entry */
  set(id: string, value: string | null): void {
    this.#entries.delete(id);
    if (value === null) return;
    this.#entries.set(id, value);
    if (this.#entries.size <= MAX_ENTRIES) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
