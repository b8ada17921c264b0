import { statSync } from 'node:fs';
import { join } from 'node:path';
import { toText } from '../../wire/fields.ts';
import { toTicket, toTimeText } from '../../wire/trade-messages.ts';
import type { TradingDesk } from '../account/trading-desk.ts';
import type { ExchangeFiles } from './exchange-files.ts';

const LOOK_MS = 250;
const REQUEST = 'deals-request.json';

interface DealsRequest {
  login: string;
  server: string;
  after: string | null;
  from: string | null;
}

const toRequest = (fields: Record<string, unknown> | undefined): DealsRequest | undefined => {
  const login = toText(fields?.login, 64);
  const server = toText(fields?.server, 128);
  return login && server
    ? { login, server, after: toTicket(fields?.after) ?? null, from: toTimeText(fields?.from) ?? null }
    : undefined;
};

/** Writes the deals that are asked for: whenever the request changes, and when there are new ones after them. */
export class DealsFile {
  readonly #files: ExchangeFiles;
  readonly #desk: TradingDesk;
  readonly #timer: NodeJS.Timeout;
  readonly #nextSequence: () => number;
  #seen = '';
  #request: DealsRequest | undefined;
  /** What the file was written for: the request, and the last deal of that moment. */
  #written = '';
  #isBusy = false;

  constructor(files: ExchangeFiles, desk: TradingDesk, nextSequence: () => number) {
    this.#files = files;
    this.#desk = desk;
    this.#nextSequence = nextSequence;
    this.#timer = setInterval(() => this.look(), LOOK_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    void this.#write().finally(() => {
      this.#isBusy = false;
    });
  }

  #readRequest(): void {
    try {
      const { mtimeMs, size, ino } = statSync(join(this.#files.folder, REQUEST));
      const seen = `${mtimeMs} ${size} ${ino}`;
      if (seen === this.#seen) return;
      this.#seen = seen;
      this.#request = toRequest(this.#files.find(REQUEST));
    } catch {
      this.#request = undefined;
    }
  }

  async #write(): Promise<void> {
    this.#readRequest();
    const [request, state] = [this.#request, this.#desk.state];
    if (!request || !state || !this.#desk.isSynchronized) return;
    const { login, server } = state;
    if (request.login !== login || request.server !== server) return;
    const wanted = JSON.stringify([this.#seen, request, state.last_deal]);
    if (wanted === this.#written) return;
    const answer = await this.#desk.findDeals(request.after, request.from);
    if (!answer) return;
    const { deals, is_complete, complete_until } = answer;
    const head = { v: 1, login, server, sequence: this.#nextSequence(), after: request.after };
    this.#files.write('deals.json', { ...head, is_complete, complete_until, deals });
    this.#written = wanted;
  }
}
