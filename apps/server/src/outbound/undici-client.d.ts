/** The one file of undici that is used: its index would replace what Node's own `fetch` runs on, and is twice as large. */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';

  export default Client;
}
