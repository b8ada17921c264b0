/**
 * Closes what is open on an account, and proves it: what was closed is what a later state of the account no longer has,
 * never what an answer said. Pending orders go first, because they could become positions meanwhile.
 *
 * Nothing is done on old numbers. After each round the next one waits for a state that was written after the answers, so
 * that what is tried again was looked at first. An order whose refusal will not pass is left, and its reason is returned.
 */
import { ACCOUNT_CURRENT_MS } from '@berth/contract/values';
import type { Timing } from '@berth/kit';
import type { LeftOpen } from '../platforms/driver.ts';
import type { Answer, WrittenAccount } from './exchange-files.ts';
import { AMBIGUOUS, type TradeCommand } from './send-command.ts';

export interface CloseFilter {
  /** Absent: all. An empty list is refused, because it could be meant as any of both. */
  symbols?: readonly string[] | undefined;
  magic?: string | undefined;
}

export interface CloseResult {
  /** Positions and orders that were there, and that a later state does not have. */
  closed: number;
  /** All that were there, or came meanwhile. */
  total: number;
  left_open: LeftOpen[];
  /** Orders were refused because algo trading is off in the terminal. */
  isSwitchedOff?: true;
  /** All that is left waits for its session to open. */
  isSessionClosed?: true;
}

export interface ClosingTerminal {
  /** The account's numbers of now; undefined while they are old, of another account or not synchronised. */
  findCurrent: () => WrittenAccount | undefined;
  send: (command: TradeCommand, account: WrittenAccount, signal: AbortSignal) => Promise<Answer>;
  /** Called before each command is sent. */
  onOrder?: (() => void) | undefined;
}

/**
 * Requote, price changed, off quotes, too many requests, locked, frozen, no connection: MQL5 says that these pass. More was
 * to be closed than is left: the next look shows how much that is.
 */
const PASSING = [10_004, 10_020, 10_021, 10_024, 10_028, 10_029, 10_031, 10_038];
/** Placed; done; done in part; no such position any more; being closed already. The next state says whether that is so. */
const SETTLED = [10_008, 10_009, 10_010, 10_036, 10_039, 10_041];
/** The answer came too late, or not at all. */
const UNKNOWN = [AMBIGUOUS, 10_011];
/** Trading in the symbol is off; its market is closed. */
const SESSION_CLOSED = [10_017, 10_018];
/** Algo trading is off in the terminal. */
const SWITCHED_OFF = 10_027;
/** Only the oldest position of a symbol may be closed. */
const OLDEST_FIRST = 10_045;
/** Closing one side of a hedge takes margin; closing it by its opposite takes none. */
const NO_MONEY = 10_019;
/** Tries of one ticket. */
const MAX_TRIES = 10;
/** Commands that a terminal has at once: it carries them out one after another, and old ones expire. */
const AT_ONCE = 16;
const MAX_ROUNDS = 200;
const PAUSE_MS = 100;
/** A state is written every 5 s even if nothing moves. */
const WAIT_MS = ACCOUNT_CURRENT_MS;

interface Target extends TradeCommand {
  symbol: string;
  /** Of a position. */
  side?: string;
  openedAt?: string;
}

/** How often a ticket was tried, and what was said last. */
interface Attempt {
  tries: number;
  message: string;
  isFinal: boolean;
  retcode: number | undefined;
}

const toTargets = ({ positions, orders }: WrittenAccount, { symbols, magic }: CloseFilter): Target[] => {
  const isMeant = (each: { symbol: string; magic: string }): boolean =>
    (symbols === undefined || symbols.includes(each.symbol)) && (magic === undefined || magic === each.magic);
  return [
    ...orders.filter(isMeant).map(({ ticket, symbol }) => ({ action: 'delete_order' as const, ticket, symbol })),
    ...positions.filter(isMeant).map(({ ticket, symbol, side, opened_at: openedAt }) => {
      return { action: 'close_position' as const, ticket, symbol, side, openedAt };
    }),
  ];
};

/** How many a filter means; undefined where the state lists fewer than there are. */
export const countOpen = (account: WrittenAccount, filter: CloseFilter): number | undefined => {
  const total = account.positions_total + account.orders_total;
  if (filter.symbols === undefined && filter.magic === undefined) return total;
  return account.positions.length + account.orders.length < total ? undefined : toTargets(account, filter).length;
};

/** However a position is closed, it is the same one. */
const toKey = ({ action, ticket }: TradeCommand): string =>
  `${action === 'delete_order' ? action : 'close_position'} ${ticket}`;

class Closing {
  readonly #terminal: ClosingTerminal;
  readonly #timing: Timing;
  readonly #signal: AbortSignal;
  readonly #targets = new Map<string, Target>();
  readonly #attempts = new Map<string, Attempt>();
  /** Symbols whose positions are closed in the order in which they were opened. */
  readonly #inOrder = new Set<string>();

  constructor(terminal: ClosingTerminal, timing: Timing, signal: AbortSignal) {
    this.#terminal = terminal;
    this.#timing = timing;
    this.#signal = signal;
  }

  async run(filter: CloseFilter): Promise<CloseResult> {
    let state = await this.#waitFor(() => true);
    if (!state) throw new Error('There are no current numbers of the account, so nothing was closed.');
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const open = toTargets(state, filter);
      for (const target of open) this.#note(target);
      const batch = this.#toBatch(open);
      if (batch.length === 0 || this.#signal.aborted) return this.#toResult(open);
      const before = state;
      const outcomes = await Promise.all(batch.map((target) => this.#close(target, before)));
      const touched = new Set(batch.filter((_, index) => outcomes[index]).map(toKey));
      const next = await this.#waitForEffects(before.sequence, touched, filter);
      if (!next) return this.#toResult(open, 'The account could not be read again.');
      state = next;
    }
    return this.#toResult(toTargets(state, filter));
  }

  /** An order that has filled is a position of the same ticket: one thing to close, not two. */
  #note(target: Target): void {
    const { action, ticket } = target;
    if (action === 'close_position') this.#targets.delete(toKey({ action: 'delete_order', ticket }));
    this.#targets.set(toKey(target), target);
  }

  /** What to try in this round: orders that nobody tried yet come before everything else. */
  #toBatch(open: readonly Target[]): Target[] {
    const due = open.filter((target) => !this.#isGivenUp(target));
    const isNewOrder = (target: Target) => target.action === 'delete_order' && !this.#attempts.has(toKey(target));
    const orders = due.filter(isNewOrder);
    return (orders.length > 0 ? orders : this.#toPairs(this.#toTurns(due))).slice(0, AT_ONCE);
  }

  /** Where the broker asks for it, only the oldest position of each symbol. */
  #toTurns(due: readonly Target[]): Target[] {
    const isInOrder = ({ symbol, openedAt }: Target) => openedAt !== undefined && this.#inOrder.has(symbol);
    const isOlder = (one: Target, other: Target) => (one.openedAt ?? '') < (other.openedAt ?? '');
    const hasOlder = (target: Target) =>
      due.some((other) => isInOrder(other) && other.symbol === target.symbol && isOlder(other, target));
    return due.filter((target) => !isInOrder(target) || !hasOlder(target));
  }

  /** What there is no margin for is closed by an opposite position, if there is one. */
  #toPairs(due: readonly Target[]): Target[] {
    const used = new Set<string>();
    return due.flatMap((target) => {
      if (used.has(target.ticket)) return [];
      used.add(target.ticket);
      const isOpposite = ({ symbol, side, ticket }: Target) =>
        symbol === target.symbol && side !== undefined && side !== target.side && !used.has(ticket);
      const lacksMoney = this.#attempts.get(toKey(target))?.retcode === NO_MONEY;
      const opposite = lacksMoney ? due.find(isOpposite) : undefined;
      if (!opposite) return [target];
      used.add(opposite.ticket);
      return [{ ...target, action: 'close_by' as const, by: opposite.ticket }];
    });
  }

  /**
   * A state that shows what was done: a later one without the tickets in question, or one that was written after their
   * answers. Undefined where none comes.
   */
  #waitForEffects(
    sequence: number,
    touched: ReadonlySet<string>,
    filter: CloseFilter,
  ): Promise<WrittenAccount | undefined> {
    const answeredAt = this.#terminal.findCurrent()?.sequence ?? sequence;
    return this.#waitFor((state) => {
      // Nothing was done, so there is nothing to look for.
      if (touched.size === 0) return state.sequence >= sequence;
      if (state.sequence > answeredAt) return true;
      return state.sequence > sequence && !toTargets(state, filter).some((target) => touched.has(toKey(target)));
    }, PAUSE_MS);
  }

  /** A current state that is as asked; undefined where none comes in time. */
  async #waitFor(isRight: (state: WrittenAccount) => boolean, pauseMs = 0): Promise<WrittenAccount | undefined> {
    if (pauseMs > 0) await this.#timing.sleep(pauseMs, this.#signal);
    for (let looks = 0; looks <= WAIT_MS / PAUSE_MS; looks += 1) {
      const state = this.#terminal.findCurrent();
      if (state && isRight(state)) return state;
      if (this.#signal.aborted) return undefined;
      await this.#timing.sleep(PAUSE_MS, this.#signal);
    }
    return undefined;
  }

  #isGivenUp(target: Target): boolean {
    const attempt = this.#attempts.get(toKey(target));
    return attempt !== undefined && (attempt.isFinal || attempt.tries >= MAX_TRIES);
  }

  /** @returns whether it may have changed something */
  async #close({ symbol, side: _side, openedAt: _, ...command }: Target, state: WrittenAccount): Promise<boolean> {
    const key = toKey(command);
    const tries = (this.#attempts.get(key)?.tries ?? 0) + 1;
    this.#terminal.onOrder?.();
    try {
      const { retcode, message } = await this.#terminal.send(command, state, this.#signal);
      if (retcode === OLDEST_FIRST) this.#inOrder.add(symbol);
      const mayPass = [...PASSING, ...SETTLED, ...UNKNOWN, OLDEST_FIRST, NO_MONEY].includes(retcode);
      this.#attempts.set(key, { tries, message: `${message} [${retcode}]`, isFinal: !mayPass, retcode });
      return [...SETTLED, ...UNKNOWN].includes(retcode);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#attempts.set(key, { tries, message, isFinal: false, retcode: undefined });
      return true;
    }
  }

  #toResult(open: readonly Target[], failure = 'It is still open.'): CloseResult {
    const left = open.map((target) => {
      const message = this.#attempts.get(toKey(target))?.message ?? failure;
      return { ticket: target.ticket, symbol: target.symbol, message };
    });
    const retcodes = open.map((target) => this.#attempts.get(toKey(target))?.retcode ?? 0);
    const isSessionClosed = left.length > 0 && retcodes.every((retcode) => SESSION_CLOSED.includes(retcode));
    return {
      ...{ closed: this.#targets.size - left.length, total: this.#targets.size, left_open: left },
      ...(retcodes.includes(SWITCHED_OFF) ? { isSwitchedOff: true } : {}),
      ...(isSessionClosed ? { isSessionClosed: true } : {}),
    };
  }
}

/**
 * Closes the positions and deletes the orders that a filter means. Rejects when there are no current numbers, and for an
 * empty filter. After an abort it returns soon, with what it knows.
 */
export const closeEverything = async (
  terminal: ClosingTerminal,
  filter: CloseFilter,
  { timing, signal }: { timing: Timing; signal: AbortSignal },
): Promise<CloseResult> => {
  if (filter.symbols?.length === 0) throw new RangeError('An empty list of symbols closes nothing.');
  return new Closing(terminal, timing, signal).run(filter);
};
