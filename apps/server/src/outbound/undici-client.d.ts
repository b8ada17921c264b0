/** The one file of undici that is used: its index would replace what Node's own `fetch` runs on, and is twice as large. */
declare module 'undici/lib/dispatcher/client.js' {
  import type { Client as Whole } from 'undici';

  /** The methods that are left out come with the index only. */
  type Client = Omit<Whole, 'request' | 'stream' | 'pipeline' | 'connect' | 'upgrade'>;
  const Client: new (url: string, options: Whole.Options) => Client;
  export default Client;
}
