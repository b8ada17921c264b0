/** A delivery as a command, to be copied: whatever it contains stays data. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { toDeliveryCurl } from '../src/pages/webhook/curl.ts';

it('a delivery that is copied gives curl its address and its body unchanged, and runs nothing that stands in them', () => {
  const body = { data: { name: `it's "$(touch /never)" \`id\` \\ !! %s ⛵` } };
  const url = `https://example.com/hook?a=1&b='$(id)'[1-3]{x,y}`;
  const command = toDeliveryCurl(url, 'msg_1', body).replace(/^curl/, 'printf "%s\\n"');
  expect(execFileSync('sh', ['-c', command], { encoding: 'utf8' }).split('\n')).toEqual([
    ...['--globoff', '-X', 'POST', url],
    ...['-H', 'Content-Type: application/json', '-H', 'Webhook-Id: msg_1', '--data-raw', JSON.stringify(body), ''],
  ]);
});
