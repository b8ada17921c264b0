import { holdExpertsLog } from '../home.ts';
import type { JournalForm } from '../journal/journal-form.ts';
import type { JournalLine } from '../journal/journal-line.ts';
import { JournalTail } from '../journal/journal-tail.ts';
import type { ExpertPlace } from '../journal/journal-events.ts';
import { toPlaceKey } from '../run/expert-roster.ts';
import { unlessUnsafe } from '../files/text-file.ts';
import type { TerminalParts } from './task-run.ts';

/** Kept of each EA. */
const LAST_LINES = 3;

/**
 * Which EAs have written to their log since a given moment. An EA's own line is the first evidence that its code runs:
 * it is loaded before its symbol is looked up, and one whose symbol was missing wrote nothing (rebecapervascon/mql5,
 * 20250227.log).
 */
export class ExpertsThatLogged {
  readonly #log: JournalTail | undefined;
  readonly #form: JournalForm;
  readonly #logged = new Set<string>();
  readonly #lastLines = new Map<string, readonly string[]>();

  private constructor(log: JournalTail | undefined, form: JournalForm) {
    this.#log = log;
    this.#form = form;
  }

  /** From the next start on. A log that cannot be read counts as silent. */
  static async beforeStart({ home, edition }: Pick<TerminalParts, 'home' | 'edition'>): Promise<ExpertsThatLogged> {
    const log = await unlessUnsafe(async () =>
      JournalTail.fromEnd(await holdExpertsLog(home, edition), { isWritten: false }),
    );
    return new ExpertsThatLogged(log, edition.dialect.journal);
  }

  /** Whether each of them has written by now. Pass the same ones each time: lines of others are dropped. */
  async have(places: readonly ExpertPlace[]): Promise<boolean> {
    const lines = await unlessUnsafe(async () => this.#log?.read());
    for (const line of lines ?? []) for (const place of places) this.#take(line, place);
    return places.every((place) => this.#logged.has(toPlaceKey(place)));
  }

  /** What the log said last of an EA, also in lines of the terminal's. Call `have` before. */
  listLastLines(place: ExpertPlace): readonly string[] {
    return this.#lastLines.get(toPlaceKey(place)) ?? [];
  }

  #take(line: JournalLine, place: ExpertPlace): void {
    const form = this.#form;
    const key = toPlaceKey(place);
    const text = form.findExpertText(line, place);
    if (text !== undefined) this.#lastLines.set(key, [...(this.#lastLines.get(key) ?? []), text].slice(-LAST_LINES));
    if (form.isOfExpert(line, place)) this.#logged.add(key);
  }

  async close(): Promise<void> {
    await this.#log?.close();
  }
}
