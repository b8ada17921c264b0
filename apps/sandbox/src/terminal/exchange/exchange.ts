import { join } from 'node:path';
import { resolveOnDisk } from '../../files/folder.ts';
import type { AccountState } from '../../wire/trade-messages.ts';
import type { TradingDesk } from '../account/trading-desk.ts';
import { Commands } from './commands.ts';
import { DealsFile } from './deals.ts';
import { ExchangeFiles } from './exchange-files.ts';

/**
 * Stands in for the link program of real terminals: it writes the account's state to files and carries out commands
 * from files, in the folder where that program would. It is part of the terminal here, not an MQL program.
 */
const PROGRAM = 'sandbox 1.2.0';
/** Price changes are written at most as often; trades at once. */
const PACE_MS = 250;
const HEARTBEAT_MS = 5_000;

/** What changes by trades and switches alone. */
const toTrades = ({ state, isSynchronized, isTradingAllowed }: TradingDesk): string => {
  const open = [...(state?.positions ?? []), ...(state?.orders ?? [])];
  const stops = open.map((each) => [each.ticket, each.volume, each.stop_loss, each.take_profit]);
  return JSON.stringify([state?.login, state?.server, state?.last_deal, stops, isSynchronized, isTradingAllowed]);
};

/** What risk rules ask for besides. */
const toFacts = ({ state, isConnected, isSwitchedOn, isSynchronized, pricedAt }: TradingDesk) => ({
  connected: isConnected,
  // In whole seconds, as the link program writes it.
  last_tick_at: pricedAt === undefined ? null : new Date(Math.floor(pricedAt / 1_000) * 1_000).toISOString(),
  ...(isSynchronized ? {} : { cash: null }),
  trade_denied_by: [...(isSwitchedOn ? [] : ['terminal']), ...(state?.trading_allowed === false ? ['password'] : [])],
});

export interface ExchangeOptions {
  /** The terminal's folder. */
  root: string;
  /** The folder of its programs: MQL5 or MQL4. */
  programs: string;
  desk: TradingDesk;
  build: () => number;
  /** Closes the charts with experts. @returns how many there were */
  removeExperts: () => number;
}

export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #files: ExchangeFiles;
  readonly #commands: Commands;
  readonly #deals: DealsFile;
  readonly #heartbeat: NodeJS.Timeout;
  /** Nothing reports the terminal's switch, so it is polled. */
  readonly #looking: NodeJS.Timeout;
  #pacing: NodeJS.Timeout | undefined;
  #isDue = false;
  #trades = '';
  #sequence: number;

  constructor(options: ExchangeOptions) {
    const { root, programs, desk, removeExperts } = options;
    this.#options = options;
    this.#files = new ExchangeFiles(join(resolveOnDisk(root, `${programs}/Files`), 'Berth'));
    const before = this.#files.find('account.json')?.sequence;
    this.#sequence = typeof before === 'number' && Number.isSafeInteger(before) && before >= 0 ? before : 0;
    this.#commands = new Commands(this.#files, desk, removeExperts);
    this.#deals = new DealsFile(this.#files, desk, () => this.#nextSequence());
    this.#heartbeat = setInterval(() => this.#write(), HEARTBEAT_MS);
    this.#looking = setInterval(() => {
      if (toTrades(desk) !== this.#trades) this.#write();
    }, PACE_MS);
    desk.onChange(() => this.#note());
  }

  /** Ends it; what it wrote stays, and is old from now on. */
  close(): void {
    clearInterval(this.#heartbeat);
    clearInterval(this.#looking);
    clearTimeout(this.#pacing);
    this.#commands.close();
    this.#deals.close();
  }

  #nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  #note(): void {
    const { desk } = this.#options;
    if (toTrades(desk) !== this.#trades) return this.#write();
    if (this.#pacing) this.#isDue = true;
    else this.#write();
  }

  #write(): void {
    const { desk, build } = this.#options;
    const { state, isSynchronized } = desk;
    if (!state) return;
    this.#pace();
    this.#trades = toTrades(desk);
    const head = { v: 1, program: PROGRAM, kind: 'service', sequence: this.#nextSequence() };
    const terms = { at: new Date().toISOString(), build: build(), is_synchronized: isSynchronized };
    const { type: _type, ...account } = state as AccountState & { type?: string };
    const file = { ...head, ...terms, ...account, ...toFacts(desk), trading_allowed: desk.isTradingAllowed };
    this.#files.write('account.json', file);
    this.#deals.look();
  }

  #pace(): void {
    clearTimeout(this.#pacing);
    this.#heartbeat.refresh();
    this.#pacing = setTimeout(() => {
      this.#pacing = undefined;
      if (this.#isDue) this.#write();
      this.#isDue = false;
    }, PACE_MS);
  }
}
