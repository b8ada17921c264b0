/**
 * A store that answers the server's prepared statements from memory, by their names: the server's own TypeScript runs on it
 * unchanged, only the SQL is mirrored. Because that mirror is what could be wrong without anybody noticing,
 * `differential.test.ts` runs the same operations here and on PostgreSQL and compares every row after each of them.
 *
 * Transactions and statements run one after another, as if PostgreSQL serialised them. What PostgreSQL itself does with
 * concurrent ones (locks, `skip locked`, deadlocks) is not simulated; other tests have it.
 */
import type { Queryable, Statement } from '@berth/testing/simulation';
import { Tables } from './tables.ts';
import { hostStatements } from './host-statements.ts';
import { schedulerStatements } from './scheduler-statements.ts';
import { taskStatements } from './task-statements.ts';
import { terminalStatements } from './terminal-statements.ts';

/** Answers one statement: its parameters in order → its rows. */
export type Answer = (tables: Tables, now: number, values: any[]) => object[];
export type Answers = Record<string, Answer>;

export const statements: Answers = {
  ...taskStatements,
  ...hostStatements,
  ...terminalStatements,
  ...schedulerStatements,
};

export class MemoryDatabase {
  readonly tables: Tables;
  readonly #now: () => number;
  readonly #answers: Answers;
  /** Who waits for the transaction under way; undefined when there is none. */
  #waiting: (() => void)[] | undefined;

  /** @param changed statements to answer differently: a defect planted by a test */
  constructor(now: () => number, changed: Answers = {}) {
    this.#now = now;
    this.tables = new Tables(now());
    this.#answers = { ...statements, ...changed };
  }

  get now(): number {
    return this.#now();
  }

  async query<Row extends object>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    while (this.#waiting) await this.#turn();
    return this.#atomically(() => this.#answer<Row>(statement, values));
  }

  async transaction<Result>(callback: (tx: Queryable) => Promise<Result>): Promise<Result> {
    while (this.#waiting) await this.#turn();
    this.#waiting = [];
    this.tables.undo = [];
    const tx: Queryable = { query: async (statement, values = []) => this.#answer(statement, values) };
    try {
      return await callback(tx);
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      this.tables.undo = undefined;
      const waiting = this.#waiting;
      this.#waiting = undefined;
      for (const wake of waiting) wake();
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#waiting?.push(resolve));
  }

  #atomically<Result>(run: () => Result): Result {
    this.tables.undo = [];
    try {
      return run();
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      this.tables.undo = undefined;
    }
  }

  #rollBack(): void {
    for (const undo of this.tables.undo?.reverse() ?? []) undo();
    this.tables.version += 1;
  }

  #answer<Row>({ name }: Statement, values: unknown[]): Row[] {
    const answer = this.#answers[name];
    if (!answer) {
      throw new Error(`the statement ${name} has no mirror: see "How to change a statement" in CONTRIBUTING.md`);
    }
    return answer(this.tables, this.#now(), values) as Row[];
  }
}
