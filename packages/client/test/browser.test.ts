// @module-tag browser
/** The client in a real browser, in a page of the server's own origin: by its cookie, without a token. */
import { join } from 'node:path';
import { getBrowserOptions, TEST_PASSWORD, useTestServer } from '@berth/testing';
import { chromium, type Browser, type Page } from '@playwright/test';
import { build } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type * as client from '../src/index.ts';
import type * as webhook from '../src/webhook.ts';

type Client = typeof client;
declare const berthClient: Client;
declare const berthWebhook: typeof webhook;

const server = useTestServer();
let browser: Browser;
let page: Page;
let code: string;

/** A file of the client with what it imports, as a script that sets a global. */
const bundle = async (file: string, globalName: string): Promise<string> => {
  const entryPoints = [join(import.meta.dirname, '../src', file)];
  const shape = { bundle: true, minify: true, format: 'iife', globalName, target: 'es2022' } as const;
  const { outputFiles } = await build({ entryPoints, ...shape, write: false });
  return outputFiles[0]!.text;
};

beforeAll(async () => {
  code = await bundle('index.ts', 'berthClient');
  await server.register('Ada Lovelace');
  browser = await chromium.launch(getBrowserOptions());
  // The answer that serves as a page here allows no script at all; the client's own behaviour does not depend on it.
  const context = await browser.newContext({ bypassCSP: true });
  page = await context.newPage();
  await page.goto(`${server.url}/openapi.json`);
  await page.addScriptTag({ content: code });
});
afterAll(() => browser?.close());

it('a browser signs in by a session, and changes what it may, without a token', async () => {
  const credentials = { email: 'ada.lovelace.1@example.com', password: TEST_PASSWORD, session: true };
  const result = await page.evaluate(async (given) => {
    const berth = new berthClient.Berth({ session: true });
    const signedIn = await berth.auth.login(given);
    const project = await berth.projects.create({ name: 'By cookie' });
    return { keys: Object.keys(signedIn).sort(), name: project.name, cookie: (globalThis as any).document.cookie };
  }, credentials);
  expect(result).toEqual({ keys: ['csrf_token', 'user'], name: 'By cookie', cookie: '' });
});

it('in a browser the client requests what changes need after the page was reloaded', async () => {
  await page.reload();
  await page.addScriptTag({ content: code });
  const name = await page.evaluate(async () => {
    const berth = new berthClient.Berth({ session: true });
    return (await berth.projects.create({ name: 'After a reload' })).name;
  });
  expect(name).toBe('After a reload');
});

it('in a browser the client receives changes, and leaves the stream', async () => {
  const events = await page.evaluate(async () => {
    const berth = new berthClient.Berth({ session: true });
    const seen: string[] = [];
    for await (const { event } of berth.events()) {
      seen.push(event);
      if (event === 'ready') await berth.account.tokens.create({ name: 'told' });
      if (event === 'notification') break;
    }
    return seen;
  });
  expect(events).toEqual(['ready', 'notification']);
});

it('in a browser the class of an error says what happened, also of a redirect that the browser hides', async () => {
  await page.route('**/v1/my/account/offers', (route) =>
    route.fulfill({ status: 302, headers: { location: 'https://elsewhere.example.com/' } }),
  );
  const names = await page.evaluate(async () => {
    const berth = new berthClient.Berth({ session: true, maxRetries: 0 });
    const nameOf = (call: Promise<unknown>) =>
      call.then(
        () => 'none',
        (error: Error) => error.name,
      );
    return [
      await nameOf(berth.projects.update('0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10', { name: 'Nobody' })),
      await nameOf(berth.projects.create({ name: '' })),
      await nameOf(berth.account.profile({ signal: AbortSignal.abort() })),
      await nameOf(berth.account.offers()),
    ];
  });
  expect(names.slice(0, 3)).toEqual(['NotFoundError', 'ValidationError', 'AbortError']);
  expect(['UnexpectedAnswerError', 'ConnectionError']).toContain(names[3]);
});

it('in a browser the client believes a webhook that one of its secrets signed, and none that was altered or is old', async () => {
  await page.addScriptTag({ content: await bundle('webhook.ts', 'berthWebhook') });
  const secrets = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`);
  const [now, body] = [Date.parse('2026-11-24T12:00:00Z'), '{"type":"terminal.down","data":{"name":"Zürich ⛵"}}'];
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(now / 1000),
    'webhook-signature': new Webhook(secrets[1]!).sign('msg_1', new Date(now), body),
  };
  const said = await page.evaluate(
    async (given) => {
      const verify = (text: string, at: number) =>
        berthWebhook.verifyWebhook<{ type: string }>(text, given.headers, given.secrets, { now: at }).then(
          ({ type }) => type,
          (error: Error) => error.name,
        );
      const { body: text, now: at } = given;
      return [await verify(text, at), await verify(text.replace('down', 'up'), at), await verify(text, at + 301_000)];
    },
    { secrets, now, body, headers },
  );
  expect(said).toEqual(['terminal.down', 'WebhookVerificationError', 'WebhookVerificationError']);
});

it('a browser that is signed out knows it', async () => {
  const name = await page.evaluate(async () => {
    const berth = new berthClient.Berth({ session: true });
    await berth.auth.logout();
    return berth.account.profile().then(
      () => 'none',
      (error: Error) => error.name,
    );
  });
  expect(name).toBe('AuthenticationError');
});
