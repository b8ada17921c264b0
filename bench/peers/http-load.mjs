/** Closed-loop HTTP load by autocannon. Reads a JSON specification from stdin, prints rates and latencies as JSON. */
import { text } from 'node:stream/consumers';
import autocannon from 'autocannon';

const { url, connections, seconds, headers, requests } = JSON.parse(await text(process.stdin));
let next = 0;
const result = await autocannon({
  url,
  connections,
  duration: seconds,
  headers,
  // Each connection walks through a share of the requests of its own, so that no two do the same in step.
  setupClient: (client) => {
    const share = requests.filter((_, index) => index % connections === next % connections);
    next += 1;
    client.setRequests(share.length > 0 ? share : requests);
  },
});
console.log(
  JSON.stringify({
    perSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    refused: result.non2xx + result.errors,
    statuses: result.statusCodeStats,
  }),
);
