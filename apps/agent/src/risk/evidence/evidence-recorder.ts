/**
 * Writes down what is needed when somebody disputes a breach: what the terminal had shown for a minute, what was decided by
 * which rule, what was done, and what the terminal showed for a minute after it. It only ever listens: the guard neither
 * waits for it nor fails with it. A file goes when the breach is over and the server has all of it.
 */
import type { RiskMarks } from '@berth/contract/agent';
import { EVIDENCE_WINDOW_MS, MAX_EVIDENCE_LINES_PER_CALL, type HostEvidenceKind } from '@berth/contract/values';
import type { Logger, Timing } from '@berth/kit';
import { isActing, type GuardBreach } from '../guard-breach.ts';
import type { SeenNumbers } from '../rule-state.ts';
import { BreachLog, toWritten } from './breach-log.ts';
import type { EvidenceStore } from './evidence-store.ts';
import { toDecision, toEnd, toNumbersBody } from './bodies.ts';

/** What a terminal has shown: as text, which is the smallest that it can be kept as. */
export interface RecentLine {
  kind: HostEvidenceKind;
  /** By the wall clock. */
  atMs: number;
  body: string;
}

/** Four states per second, for a minute. */
const MAX_LINES = 240;

/** What one terminal has shown within the last minute. */
export class RecentLines {
  #lines: (RecentLine & { elapsedMs: number })[] = [];

  add(line: RecentLine, elapsedMs: number): void {
    this.#lines.push({ ...line, elapsedMs });
    // Not with each line: taking the first of many away moves all others.
    if (this.#lines.length > 2 * MAX_LINES) this.#lines = this.list(elapsedMs);
  }

  /** Oldest first. */
  list(elapsedMs: number): (RecentLine & { elapsedMs: number })[] {
    return this.#lines.filter((line) => elapsedMs - line.elapsedMs <= EVIDENCE_WINDOW_MS).slice(-MAX_LINES);
  }
}

/** Breaches of which a host keeps evidence at once. */
const MAX_LOGS = 100;
/** A call has no more than this of bodies. */
const MAX_CALL_BYTES = 256 * 1024;

export interface EvidenceOptions {
  store: EvidenceStore;
  timing: Timing;
  /** Milliseconds of a clock that nobody sets. */
  elapsedMs: () => number;
  /** Of the agent. */
  version?: string | undefined;
  log: Logger;
}

interface Recorded {
  log: BreachLog;
  /** Undefined where the guard has forgotten it: it has ended, and the server knows. */
  breach: GuardBreach | undefined;
  /** By the clock that nobody sets. */
  decidedAtMs: number;
}

/** What one call sends. */
export interface EvidenceChunk {
  breach_id: string;
  lines: Awaited<ReturnType<BreachLog['readNews']>>['lines'];
  is_complete: boolean;
}

export class EvidenceRecorder {
  readonly #options: EvidenceOptions;
  readonly #recorded = new Map<string, Recorded>();
  /** By terminal. */
  readonly #recent = new Map<string, RecentLines>();
  #isFailing = false;

  private constructor(options: EvidenceOptions) {
    this.#options = options;
  }

  /** Takes up what an earlier agent of this host left. */
  static async open(options: EvidenceOptions): Promise<EvidenceRecorder> {
    const recorder = new EvidenceRecorder(options);
    for (const id of await options.store.list()) {
      const text = await options.store.read(id);
      const written = toWritten(text);
      if (written.sizeBytes < Buffer.byteLength(text)) await options.store.cut(id, written.sizeBytes);
      recorder.#recorded.set(id, {
        ...{ log: recorder.#createLog(id, written), breach: undefined, decidedAtMs: options.elapsedMs() },
      });
    }
    return recorder;
  }

  #createLog(id: string, written?: ReturnType<typeof toWritten>): BreachLog {
    const onFailure = (err: unknown) => {
      if (!this.#isFailing)
        this.#options.log.error({ err, breach_id: id }, 'the disk refuses the evidence of a breach');
      this.#isFailing = true;
    };
    return new BreachLog(id, this.#options.store, onFailure, written);
  }

  /**
   * The breaches that the guard has. Those that were being recorded are, further on; of one that it was only just carrying
   * out nothing may have reached the disk.
   */
  adopt(breaches: Iterable<GuardBreach>): void {
    const { elapsedMs, timing, version } = this.#options;
    for (const breach of breaches) {
      const { id, decided_at: decidedAt } = breach.report;
      if (!this.#recorded.has(id) && isActing(breach)) this.begin(breach, undefined);
      const recorded = this.#recorded.get(id);
      if (!recorded) continue;
      const ageMs = Math.max(0, timing.clock.now() - decidedAt);
      Object.assign(recorded, { breach, decidedAtMs: elapsedMs() - ageMs });
      this.note(id, 'resumed', { agent: version ?? null });
    }
  }

  /**
   * A breach was decided, or goes on after it was suspended. Nothing is written yet: the guard writes first.
   * @param marks what its rule had measured; undefined: it is not known any more
   */
  begin(breach: GuardBreach, marks: RiskMarks | undefined): void {
    const { id, terminal_id: terminalId } = breach.report;
    const { elapsedMs, timing, version } = this.#options;
    const known = this.#recorded.get(id);
    if (!known && !this.#makeRoom()) return;
    const log = known?.log ?? this.#createLog(id);
    this.#recorded.set(id, { log, breach, decidedAtMs: elapsedMs() });
    const nowMs = timing.clock.now();
    if (breach.rule) log.note('rule', JSON.stringify(breach.rule), nowMs);
    if (marks) log.note('marks', JSON.stringify(marks), nowMs);
    const recent = this.#recent.get(terminalId)?.list(elapsedMs()) ?? [];
    for (const { kind, body, atMs } of recent) log.note(kind, body, atMs);
    log.note('decision', JSON.stringify(toDecision(breach, version)), nowMs);
  }

  /** One that is over gives way to a new one. */
  #makeRoom(): boolean {
    if (this.#recorded.size < MAX_LOGS) return true;
    const over = [...this.#recorded.values()].find(({ log }) => log.isClosed);
    if (over) this.#forget(over.log);
    else this.#options.log.warn('there are too many breaches: of one no evidence is kept');
    return over !== undefined;
  }

  /** Something was seen or done. */
  note(breachId: string, kind: HostEvidenceKind, body: object): void {
    const recorded = this.#recorded.get(breachId);
    if (!recorded) return;
    recorded.log.note(kind, JSON.stringify(body), this.#options.timing.clock.now());
    void recorded.log.save();
  }

  /** A terminal has shown something. @param ageMs how old it was */
  noteNumbers(terminalId: string, numbers: SeenNumbers, ageMs: number): void {
    this.#noteSeen(terminalId, 'numbers', JSON.stringify(toNumbersBody(numbers, ageMs)));
  }

  /** A rule went blind, or sees again. */
  noteSight(terminalId: string, kind: 'blind' | 'sees', body: object): void {
    this.#noteSeen(terminalId, kind, JSON.stringify(body));
  }

  #noteSeen(terminalId: string, kind: 'numbers' | 'blind' | 'sees', body: string): void {
    const { elapsedMs, timing } = this.#options;
    const now = elapsedMs();
    const atMs = timing.clock.now();
    const recent = this.#recent.get(terminalId) ?? new RecentLines();
    this.#recent.set(terminalId, recent);
    recent.add({ kind, atMs, body }, now);
    for (const { log, breach, decidedAtMs } of this.#recorded.values()) {
      if (breach?.report.terminal_id !== terminalId) continue;
      if (kind === 'numbers' && now - decidedAtMs > EVIDENCE_WINDOW_MS) continue;
      log.note(kind, body, atMs);
    }
  }

  /** What the terminal shows is what is acted on once more. */
  noteLatest(breachId: string, terminalId: string): void {
    const recorded = this.#recorded.get(breachId);
    const latest = this.#recent.get(terminalId)?.list(this.#options.elapsedMs()).at(-1);
    if (recorded && latest?.kind === 'numbers') recorded.log.note(latest.kind, latest.body, latest.atMs);
  }

  /** The terminal is gone, and what was begun there with it. */
  forgetTerminal(terminalId: string): void {
    this.#recent.delete(terminalId);
    for (const { log, breach } of this.#recorded.values())
      if (breach?.report.terminal_id === terminalId) this.note(log.id, 'end', toEnd(breach));
  }

  /** Writes what waits, and closes what is over. Called once a second. */
  tick(): void {
    const now = this.#options.elapsedMs();
    this.#isFailing &&= [...this.#recorded.values()].some(({ log }) => log.isWaiting);
    for (const { log, breach, decidedAtMs } of this.#recorded.values()) {
      const isOver = breach === undefined || (breach.report.has_ended && now - decidedAtMs > EVIDENCE_WINDOW_MS);
      if (isOver && !log.isClosed) log.note('end', JSON.stringify(toEnd(breach)), this.#options.timing.clock.now());
      void log.save();
    }
  }

  /** Resolves when all is on the disk that it takes. */
  async save(): Promise<void> {
    await Promise.all([...this.#recorded.values()].map(({ log }) => log.save()));
  }

  /** What can be sent of a breach that the server knows; undefined: nothing. */
  async take(isKnown: (breachId: string) => boolean): Promise<EvidenceChunk | undefined> {
    const found = [...this.#recorded.values()].find(({ log }) => log.hasNews && isKnown(log.id));
    if (!found) return undefined;
    const news = await found.log.readNews(MAX_EVIDENCE_LINES_PER_CALL).catch((err: unknown) => {
      this.#options.log.error({ err, breach_id: found.log.id }, 'the evidence of a breach cannot be read');
      this.#forget(found.log);
    });
    if (!news) return undefined;
    const { lines, isComplete } = news;
    let bytes = 0;
    const fitting = lines.filter(({ body }) => (bytes += Buffer.byteLength(body)) <= MAX_CALL_BYTES);
    return { breach_id: found.log.id, lines: fitting, is_complete: isComplete && fitting.length === lines.length };
  }

  /**
   * @param lastLine the last line that the server has; null: it will never take any of this breach
   * @returns whether anything has come of it
   */
  acknowledge(breachId: string, lastLine: number | null): boolean {
    const recorded = this.#recorded.get(breachId);
    if (!recorded) return true;
    const hasAdvanced = lastLine === null || recorded.log.noteDelivered(lastLine);
    if (lastLine === null || recorded.log.isDelivered) this.#forget(recorded.log);
    return hasAdvanced;
  }

  #forget(log: BreachLog): void {
    this.#recorded.delete(log.id);
    void log
      .save()
      .then(() => this.#options.store.remove(log.id))
      .catch((err: unknown) => this.#options.log.warn({ err, breach_id: log.id }, 'evidence could not be removed'));
  }
}
