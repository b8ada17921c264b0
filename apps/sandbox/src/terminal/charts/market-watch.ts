import { ensureFolderOf, resolveOnDisk, toFolderName } from '../../files/folder.ts';
import { findText, writeLines } from '../../files/text-file.ts';
import type { SymbolInfo, Tick } from '../../wire/protocol.ts';
import type { Platform } from '../platform/platform.ts';

export interface Quote {
  bid: number;
  ask: number;
  /** 1 after a rise, -1 after a fall. */
  direction: number;
}

/** What a terminal shows before the first selection. */
const FIRST_SYMBOLS = 9;

/** The symbols of the account's server: which exist, which are shown, what they cost. Kept per server and login. */
export class MarketWatch {
  readonly #root: string;
  readonly #platform: Platform;
  readonly #symbols = new Map<string, SymbolInfo>();
  readonly #quotes = new Map<string, Quote>();
  #selected = new Set<string>();
  #file: string | undefined;

  constructor(root: string, platform: Platform) {
    this.#root = root;
    this.#platform = platform;
  }

  open(server: string, login: string, symbols: readonly SymbolInfo[]): void {
    this.#file = this.#platform.layout.marketWatch(toFolderName(server), toFolderName(login));
    this.#symbols.clear();
    this.#quotes.clear();
    for (const symbol of symbols) this.#symbols.set(symbol[0], symbol);
    const saved = findText(resolveOnDisk(this.#root, this.#file));
    const names = saved?.split('\r\n') ?? [...this.#symbols.keys()].slice(0, FIRST_SYMBOLS);
    this.#selected = new Set(names.filter((name) => this.#symbols.has(name)));
  }

  has(symbol: string): boolean {
    return this.#symbols.has(symbol);
  }

  select(symbols: Iterable<string>): void {
    for (const symbol of symbols) if (this.has(symbol)) this.#selected.add(symbol);
  }

  /** Shows every symbol and saves that immediately. Returns how many there are. */
  selectAll(): number {
    this.select(this.#symbols.keys());
    this.save();
    return this.#selected.size;
  }

  listSelected(): string[] {
    return [...this.#selected];
  }

  countSymbols(): number {
    return this.#symbols.size;
  }

  getDigits(symbol: string): number {
    return this.#symbols.get(symbol)?.[1] ?? 5;
  }

  findQuote(symbol: string): Quote | undefined {
    return this.#quotes.get(symbol);
  }

  takeTicks(ticks: readonly Tick[]): void {
    for (const [symbol, bid, ask] of ticks) {
      const before = this.#quotes.get(symbol);
      const direction = before && before.bid !== bid ? Math.sign(bid - before.bid) : (before?.direction ?? 0);
      this.#quotes.set(symbol, { bid, ask, direction });
    }
  }

  save(): void {
    if (this.#file === undefined) return;
    writeLines(ensureFolderOf(this.#root, this.#file), this.listSelected(), 'utf-8');
  }
}
