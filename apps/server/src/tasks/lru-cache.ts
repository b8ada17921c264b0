const MAX_ENTRIES = 10_000;

/**
 * What was seen last of some thousand things, by id; the least recently used one goes first. Another server does not have
 * it, and a new start forgets it: whoever asks must come to a right answer without it.
 */
export class LruCache {
  readonly #entries = new Map<string, string>();

  get(id: string): string | undefined {
    const value = this.#entries.get(id);
    if (value !== undefined) this.set(id, value);
    return value;
  }

  /** @param value null: there is nothing to remember of it */
  set(id: string, value: string | null): void {
    this.#entries.delete(id);
    if (value === null) return;
    this.#entries.set(id, value);
    if (this.#entries.size <= MAX_ENTRIES) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
