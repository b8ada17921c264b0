import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { build } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../src/webhook.ts';

const [secret, other] = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [string, string];
const now = Date.parse('2026-11-24T12:00:00Z');
const body = '{"id":7,"type":"terminal.down","data":{"name":"Zürich"}}';

const toHeaders = (secrets: readonly string[], { at = now, text = body, id = 'msg_1' } = {}) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at / 1000)),
  'webhook-signature': secrets.map((one) => new Webhook(one).sign(id, new Date(at), text)).join(' '),
});
const verify = (headers: Record<string, string | undefined>, text = body, by: string | string[] = secret) =>
  verifyWebhook(text, headers, by, { now });

it('verifyWebhook gives the event, whose signature is that of the reference implementation', async () => {
  const headers = toHeaders([secret]);
  expect(await verify(headers)).toEqual({ id: 7, type: 'terminal.down', data: { name: 'Zürich' } });
  expect(await verifyWebhook(body, new Headers(headers), secret, { now })).toMatchObject({ id: 7 });
});

it('verifyWebhook takes any of several signatures and secrets', async () => {
  expect(await verify(toHeaders([other, secret]))).toMatchObject({ id: 7 });
  expect(await verify(toHeaders([secret]), body, [other, secret])).toMatchObject({ id: 7 });
  const odd = { ...toHeaders([secret]) };
  odd['webhook-signature'] = `v1a,AAAA v1,!! ${odd['webhook-signature']}`;
  expect(await verify(odd)).toMatchObject({ id: 7 });
});

const good = toHeaders([secret]);
it.each([
  ['another body', good, body.replace('7', '8')],
  ['another secret', toHeaders([other]), body],
  ['another id', { ...good, 'webhook-id': 'msg_2' }, body],
  ['another time', { ...good, 'webhook-timestamp': String(now / 1000 + 1) }, body],
  ['a message of long ago', toHeaders([secret], { at: now - 301_000 }), body],
  ['a message of the future', toHeaders([secret], { at: now + 301_000 }), body],
  ['a time that is none', { ...good, 'webhook-timestamp': 'NaN' }, body],
  ['no signature', { ...good, 'webhook-signature': '' }, body],
  [
    'a signature of another kind',
    { ...good, 'webhook-signature': good['webhook-signature'].replace('v1,', 'v2,') },
    body,
  ],
  ['no id', { ...good, 'webhook-id': undefined }, body],
  [
    'the right one behind a thousand',
    { ...good, 'webhook-signature': `${'v1,AAAA '.repeat(1000)}${good['webhook-signature']}` },
    body,
  ],
])('verifyWebhook refuses %s', async (_what, headers, text) => {
  await expect(verify(headers, text)).rejects.toThrow(WebhookVerificationError);
});

it('verifyWebhook says so where the secret is none', async () => {
  await expect(verify(good, body, 'secret')).rejects.toThrow(TypeError);
});

it('verifyWebhook is smaller than 2 kB, without dependencies', async () => {
  const entry = join(import.meta.dirname, '../src/webhook.ts');
  const options = {
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  } as const;
  const { outputFiles, metafile } = await build({ entryPoints: [entry], ...options });
  expect(gzipSync(outputFiles[0]!.contents, { level: 9 }).length).toBeLessThan(2_000);
  expect(Object.keys(metafile.inputs).length).toBe(1);
});
