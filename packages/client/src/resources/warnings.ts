/** What a response says besides its data. */
import type { Json } from '../http/response.ts';

/**
 * What was created, with what the server says of it.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const account = { server_name: 'Harbour-Demo', login: '5005', password: 'trade-me' };
 * const { id, warnings } = await berth.terminals.create(account);
 * for (const warning of warnings) console.warn(warning);
 * await berth.terminals.delete(id);
 */
export type WithWarnings<Data> = Data & {
  /** The server's sentence, warnings included. */
  message: string;
  /** What to mind, although it is carried out: that two terminals would trade on one account. Mostly empty. */
  warnings: string[];
};

/** @deprecated Renamed to `WithWarnings`. */
export type Said<Data> = WithWarnings<Data>;

/** The response to a creation, as its caller gets it. */
export const toWithWarnings = <Data extends object>({ data, msg, warnings }: Json): WithWarnings<Data> => ({
  ...(data as Data),
  message: msg as string,
  warnings: (warnings ?? []) as string[],
});
