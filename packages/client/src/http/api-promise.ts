/** What a method of one request gives: its data, and on demand what else the response said. */

/** What a response says besides its data. */
export interface ApiResponse {
  /** HTTP status. */
  status: number;
  /** All headers, among them the limits of requests: `x-ratelimit-remaining`. */
  headers: Headers;
  /** Quote it when you report a problem. */
  requestId: string | undefined;
  /** What the server says of the outcome in words: `msg`, or `message`. */
  message: string | undefined;
}

/** Data and response. */
export interface WithResponse<Data> {
  /** What the method returns without `withResponse()`. */
  data: Data;
  /** What else the response says. */
  response: ApiResponse;
}

/**
 * A promise of the data of a response.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { data, response } = await berth.account.profile().withResponse();
 * data.name; // => 'Ada Lovelace'
 * response.status; // => 200
 * console.log(`${response.requestId}: ${response.headers.get('x-ratelimit-remaining')} requests are left.`);
 */
export class ApiPromise<Data> extends Promise<Data> {
  /** `then` and `catch` lead to a plain promise: what follows is no response any more. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #whole: Promise<WithResponse<Data>>;

  constructor(whole: Promise<WithResponse<Data>>) {
    super((resolve, reject) => void whole.then(({ data }) => resolve(data), reject));
    this.#whole = whole;
  }

  /** The data, with status, headers, request id and message of the response. */
  withResponse(): Promise<WithResponse<Data>> {
    // An error is reported once, by the promise returned here.
    this.catch(() => undefined);
    return this.#whole;
  }
}
