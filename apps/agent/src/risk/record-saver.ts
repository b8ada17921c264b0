import type { Logger } from '@berth/kit';
import type { TerminalRecord } from './guarded-terminal.ts';
import type { RiskStore } from './risk-store.ts';

interface Saving {
  running: Promise<void>;
  next: Promise<void> | undefined;
}

/**
 * Writes records one at a time per terminal. Saves that come while one is running share the next one, which takes what is
 * in the record then. A save that fails is logged and not repeated: the next one has more.
 */
export class RecordSaver {
  readonly #store: RiskStore;
  readonly #log: Logger;
  readonly #savings = new Map<string, Saving>();
  /** What was written last, so that nothing is written twice. */
  readonly #written = new Map<string, string>();
  /** Disks that refuse are logged once. */
  #isFailing = false;

  constructor(store: RiskStore, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  /** Resolves when what is in the record now is on the disk, or could not be written. */
  save(terminalId: string, record: TerminalRecord): Promise<void> {
    const saving = this.#savings.get(terminalId);
    if (saving) {
      saving.next ??= saving.running.then(() => this.#write(terminalId, record));
      return saving.next;
    }
    const running = this.#write(terminalId, record);
    this.#savings.set(terminalId, { running, next: undefined });
    return running;
  }

  /** Removes the terminal's record, after what is being written. */
  async remove(terminalId: string): Promise<void> {
    const saving = this.#savings.get(terminalId);
    await (saving?.next ?? saving?.running);
    this.#written.delete(terminalId);
    await this.#store.removeRecord(terminalId);
  }

  async #write(terminalId: string, record: TerminalRecord): Promise<void> {
    const saving = this.#savings.get(terminalId);
    if (saving?.next) Object.assign(saving, { running: saving.next, next: undefined });
    const text = JSON.stringify(record);
    try {
      if (this.#written.get(terminalId) !== text) await this.#store.writeRecord(terminalId, text);
      this.#written.set(terminalId, text);
      this.#isFailing = false;
    } catch (error) {
      this.#written.delete(terminalId);
      if (!this.#isFailing) {
        this.#log.error({ err: error, terminal_id: terminalId }, 'the disk refuses what the risk rules have measured');
      }
      this.#isFailing = true;
    }
    const now = this.#savings.get(terminalId);
    if (now && !now.next) this.#savings.delete(terminalId);
  }
}
