/** Takes the images of docs/images: every page, by day and by night, on a telephone, a tablet and a desk. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcesses, getBrowserOptions, startTestStack, waitFor, withClient, type TestStack } from '@berth/testing';
import { chromium, type Browser, type Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFleet, SHOWN } from './fleet.ts';

const folder = join(import.meta.dirname, '../../../docs/images');
const sizes = [
  { name: 'phone', width: 375, height: 812 },
  { name: 'tablet', width: 768, height: 1024 },
  { name: 'desk', width: 1440, height: 900 },
] as const;
const PATIENCE_MS = 60_000;

let stack: TestStack;
let browser: Browser;
beforeAll(async () => {
  stack = await startTestStack();
  browser = await chromium.launch(getBrowserOptions());
});
afterAll(async () => {
  await browser?.close();
  await stack?.close();
  await endProcesses();
});

/** Nothing is being read any more, and every image in view has come. */
const IS_STILL = `document.querySelectorAll('.skeleton, [aria-busy="true"]').length === 0
  && [...document.images].every((image) => {
    const { width, top } = image.getBoundingClientRect();
    return width === 0 || top > innerHeight || (image.complete && image.naturalWidth > 0);
  })`;

const takeImage = async (page: Page, name: string): Promise<void> => {
  await waitFor(() => page.evaluate<boolean>(IS_STILL), { what: `a page at rest for ${name}` });
  const protocol = await page.context().newCDPSession(page);
  const { data } = await protocol.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  await protocol.detach();
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
};

it('takes the images', async () => {
  mkdirSync(folder, { recursive: true });
  const { user, token } = await stack.register('Ada Lovelace');
  await withClient(stack.databaseUrl, (client) =>
    client.query('update users set is_operator = true where id = $1', [user.id]),
  );
  const fleet = await createFleet(stack, token);
  const paths = {
    'sign-in': '/sign-in',
    terminals: '/terminals',
    terminal: `/terminals/${fleet.get(SHOWN)}`,
    charts: `/terminals/${fleet.get(SHOWN)}?tab=charts`,
    tasks: '/tasks',
    projects: '/projects',
    account: '/account',
    hosts: '/hosts',
  };
  for (const colorScheme of ['dark', 'light'] as const) {
    for (const { name: size, ...viewport } of sizes) {
      const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB', reducedMotion: 'reduce' });
      const page = await context.newPage();
      for (const [name, path] of Object.entries(paths)) {
        if (name === 'terminals') {
          const answer = await context.request.post(`${stack.url}/v1/auth/login`, { data: { ...user, session: true } });
          expect(answer.status()).toBe(200);
        }
        await page.goto(stack.url + path);
        await page.getByRole('heading').first().waitFor({ timeout: PATIENCE_MS });
        await takeImage(page, `${name}-${size}-${colorScheme}`);
      }
      await context.close();
    }
  }
});
