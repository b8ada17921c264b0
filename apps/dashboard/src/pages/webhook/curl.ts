import { quote } from '../../parts/shell-quote.ts';

/** The request of a delivery as a command; without its signature, which only the secret can make. */
export const toDeliveryCurl = (url: string, id: string, body: object): string =>
  [
    // Brackets in an address are no pattern of curl's.
    `curl --globoff -X POST ${quote(url)}`,
    `  -H 'Content-Type: application/json'`,
    `  -H ${quote(`Webhook-Id: ${id}`)}`,
    `  --data-raw ${quote(JSON.stringify(body))}`,
  ].join(' \\\n');
