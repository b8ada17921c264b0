import { holdExpertsLog } from '../home.ts';
import { JournalTail } from '../journal/journal-tail.ts';
import type { TerminalParts } from '../parts.ts';
import { toPlaceKey, type ExpertPlace } from '../run/terminal-view.ts';
import { unlessUnsafe } from '../unless-unsafe.ts';

/**
 * Which EAs have written to their log since a given moment. An EA's own line is the first evidence that its code runs:
 * it is loaded before its symbol is looked up, and one whose symbol was missing wrote nothing (rebecapervascon/mql5,
 * 20250227.log).
 */
export class SpokenExperts {
  readonly #log: JournalTail | undefined;
  readonly #spoken = new Set<string>();

  private constructor(log: JournalTail | undefined) {
    this.#log = log;
  }

  /** From now on. A log that cannot be read counts as silent. */
  static async fromNow({ home, edition }: Pick<TerminalParts, 'home' | 'edition'>): Promise<SpokenExperts> {
    const log = await unlessUnsafe(async () => JournalTail.fromEnd(await holdExpertsLog(home, edition)));
    return new SpokenExperts(log);
  }

  /** Whether each of them has written by now. Pass the same ones each time: lines of others are dropped. */
  async have(places: readonly ExpertPlace[]): Promise<boolean> {
    const log = this.#log;
    const lines = (log && (await unlessUnsafe(() => log.read()))) ?? [];
    for (const place of places) {
      if (lines.some((line) => log?.journal.form.isOfExpert(line, place))) this.#spoken.add(toPlaceKey(place));
    }
    return places.every((place) => this.#spoken.has(toPlaceKey(place)));
  }

  async close(): Promise<void> {
    await this.#log?.close();
  }
}
