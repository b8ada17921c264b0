import { isTrade, type TradeRequest } from '../../wire/trade-messages.ts';
import { hasTrouble } from '../../wire/server-names.ts';
import type { Retcode } from './retcodes.ts';

/** Requests that were requoted once and wait to be asked again; more are forgotten. */
const MAX_REQUOTED = 1_000;

const isAtMarket = ({ action }: TradeRequest): boolean => action === 'open' || action === 'close';

const toKey = (request: TradeRequest): string =>
  request.action === 'open' ? `${request.symbol} ${request.side}` : 'ticket' in request ? request.ticket : '';

/** What the name of a server asks for in place of an honest answer. One per account. */
export class TradeFaults {
  readonly #server: string;
  readonly #requoted = new Set<string>();

  constructor(server: string) {
    this.#server = server;
  }

  /** Whether the server lets anybody trade. */
  get isDisabled(): boolean {
    return hasTrouble(this.#server, 'Disabled');
  }

  /** The refusal of a request, which is then not carried out. */
  findRefusal(request: TradeRequest): Retcode | undefined {
    if (!isTrade(request)) return undefined;
    if (this.isDisabled) return 10026;
    if (hasTrouble(this.#server, 'Rejecting') && ['open', 'place'].includes(request.action)) return 10006;
    if (hasTrouble(this.#server, 'Stuck') && request.action === 'close') return 10018;
    if (hasTrouble(this.#server, 'Requote') && isAtMarket(request)) return this.#requoteOnce(toKey(request));
    return undefined;
  }

  /** Whether a request is carried out, and answered as if it had timed out. */
  isUnclear(request: TradeRequest): boolean {
    return hasTrouble(this.#server, 'Unclear') && request.action === 'close';
  }

  #requoteOnce(key: string): Retcode | undefined {
    if (this.#requoted.delete(key)) return undefined;
    if (this.#requoted.size >= MAX_REQUOTED) this.#requoted.clear();
    this.#requoted.add(key);
    return 10004;
  }
}
