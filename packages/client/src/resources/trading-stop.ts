import type { ApiPromise } from '../http/api-promise.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import type { TradingStop, TradingStopEnd, TradingStopState } from '../types.ts';
import { Group } from './group.ts';

const STOP = '/v1/my/trading/stop';

/**
 * The stop of all algo trading. It stays until you end it: terminals that do not confirm it are asked again.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { id } = await berth.terminals.create({ server_name: 'Harbour-Demo', login: '5016', password: 'trade-me' });
 * const { readiness } = await berth.tradingStop.get();
 * for (const { name, reason } of readiness.unreached) console.log(`A stop would not reach ${name}: ${reason}`);
 * const { confirmed, total } = await berth.tradingStop.start();
 * console.log(`${confirmed} of ${total} terminals confirmed it so far.`);
 * await berth.tradingStop.end({ restore: true });
 * await berth.terminals.delete(id);
 */
export class TradingStops extends Group {
  /** How it stands (null: there is none), and which terminals a stop would reach. */
  get(options?: CallOptions): ApiPromise<TradingStopState> {
    return this.transport.data({ method: 'GET', path: STOP, options });
  }

  /**
   * Turns algo trading off on all terminals. Where there is a stop already, all are asked once more.
   * @throws ConflictError (`nothing_matched`) where there is no terminal; RefusedError (`run_limit`) where too many runs are
   * open
   */
  start(options?: CreateOptions): ApiPromise<TradingStop> {
    return this.transport.data({ method: 'POST', post: 'keyed', path: STOP, body: {}, options });
  }

  /**
   * Ends it. With `restore`, a run turns algo trading on where it was on when the stop began, and nowhere else.
   * @throws RefusedError (`no_stop`) where there is none, (`run_limit`) where too many runs are open
   */
  end(request: { restore: boolean }, options?: CreateOptions): ApiPromise<TradingStopEnd> {
    return this.transport.data({ method: 'POST', post: 'keyed', path: `${STOP}/end`, body: request, options });
  }
}
