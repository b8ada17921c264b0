const MAX_HINTS = 10_000;

/**
 * What was seen last of some thousand things, by id: a hint, which another server does not have and a new start forgets. Whoever
 * asks must come to a right answer without it.
 */
export class Hints {
  readonly #hints = new Map<string, string>();

  find(id: string): string | undefined {
    return this.#hints.get(id);
  }

  /** @param hint null: there is nothing to remember of it */
  note(id: string, hint: string | null): void {
    this.#hints.delete(id);
    if (hint === null) return;
    this.#hints.set(id, hint);
    if (this.#hints.size <= MAX_HINTS) return;
    const [oldest] = this.#hints.keys();
    if (oldest !== undefined) this.#hints.delete(oldest);
  }
}
