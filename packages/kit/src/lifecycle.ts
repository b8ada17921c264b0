/**
 * Closes what was opened, last opened first, each once; a failing close does not prevent the others.
 * @example
 * import { Lifecycle } from '@berth/kit';
 * const lifecycle = new Lifecycle();
 * const closed: string[] = [];
 * lifecycle.onClose('database', () => void closed.push('database'));
 * lifecycle.onClose('server', () => void closed.push('server'));
 * await lifecycle.close();
 * closed; // => ['server', 'database']
 */
export class Lifecycle {
  readonly #closers: { name: string; close: () => Promise<void> | void }[] = [];
  #closing: Promise<void> | undefined;

  /** Registers how to close a resource; call it right after the resource was opened. */
  onClose(name: string, close: () => Promise<void> | void): void {
    this.#closers.push({ name, close });
  }

  /** Closes everything. Later calls return the first call's promise. Rejects with an AggregateError of what failed. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    const failures: Error[] = [];
    for (let next = this.#closers.pop(); next; next = this.#closers.pop()) {
      try {
        await next.close();
      } catch (cause) {
        failures.push(new Error(`closing ${next.name} failed`, { cause }));
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, failures.map((failure) => failure.message).join('; '));
  }
}
