import { holdExpertsLog } from '../home.ts';
import { JournalTail } from '../journal/journal-tail.ts';
import type { TerminalParts } from '../parts.ts';
import { toPlaceKey, type ExpertPlace } from '../run/terminal-view.ts';
import { unlessUnsafe } from '../unless-unsafe.ts';

/**
 * Which experts have written to their log since a moment. A line of an expert's own is the first evidence that its code runs: it
 * is loaded before its symbol is looked for, and one whose symbol was missing wrote nothing (rebecapervascon/mql5, 20250227.log).
 */
export class SpokenExperts {
  readonly #log: JournalTail | undefined;
  readonly #spoken = new Set<string>();

  private constructor(log: JournalTail | undefined) {
    this.#log = log;
  }

  /** From now on. A log that cannot be read is as good as silent. */
  static async fromNow({ home, edition }: Pick<TerminalParts, 'home' | 'edition'>): Promise<SpokenExperts> {
    const log = await unlessUnsafe(async () => JournalTail.fromEnd(await holdExpertsLog(home, edition)));
    return new SpokenExperts(log);
  }

  /** Whether each of them has spoken by now. Ask for the same ones each time: what others wrote is let go of. */
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
