/** What a person waits for in a real browser: Debian's Chromium, without a cache at first, on this machine's loopback. */
import { setTimeout as delay } from 'node:timers/promises';
import { getBrowserOptions } from '@berth/testing/bench';
import { chromium, type Browser, type Page } from '@playwright/test';
import type { Figures } from '../goal.ts';
import { toQuantile } from '../statistics.ts';
import { PASSWORD, type Account } from './account.ts';

const RUNS = 7;
const PATIENCE_MS = 60_000;
const ROWS = 50;
/** Screenshots in view come after the list. */
const SETTLE_MS = 1000;

/**
 * `performance.now()` of the page, which began with its navigation, in the frame in which the condition holds. By the debugger's
 * way into the page: its policy allows no other script.
 */
const waitUntil = (page: Page, condition: string): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve, reject) => {
    const from = performance.now();
    const look = () => {
      if (${condition}) resolve(performance.now());
      else if (performance.now() - from > ${PATIENCE_MS}) reject(new Error('the page does not come to stand'));
      else requestAnimationFrame(look);
    };
    look();
  })`);

const rows = `document.querySelectorAll('tbody tr td[data-card="name"] a').length`;
const isStill = `document.querySelectorAll('[aria-busy="true"]').length === 0`;

/** What came over the wire, by the kind of what it was. */
const watchLoad = async (page: Page): Promise<() => Record<string, number>> => {
  const session = await page.context().newCDPSession(page);
  const kinds = new Map<string, string>();
  const bytes: Record<string, number> = {};
  session.on('Network.responseReceived', ({ requestId, type }) => void kinds.set(requestId, type));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId) ?? 'Other';
    bytes[kind] = (bytes[kind] ?? 0) + encodedDataLength;
  });
  await session.send('Network.enable');
  return () => bytes;
};

const toLoad = (bytes: Record<string, number>): Figures => {
  const { Script = 0, ...rest } = bytes;
  return {
    'kB of JavaScript': Script / 1000,
    'kB in all': Object.values(rest).reduce((sum, one) => sum + one, Script) / 1000,
  };
};

interface Opened {
  page: Page;
  close: () => Promise<void>;
}

const open = async (browser: Browser, url: string, account?: Account): Promise<Opened> => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  if (account) {
    const data = { email: account.email, password: PASSWORD, session: true };
    const answer = await context.request.post(`${url}/v1/auth/login`, { data });
    if (answer.status() !== 200) throw new Error(`the login was answered ${answer.status()}`);
  }
  return { page: await context.newPage(), close: () => context.close() };
};

/** @returns milliseconds from the navigation until the page is there, and what it took to load */
const measureOpening = async (
  browser: Browser,
  { url, path, condition, account }: { url: string; path: string; condition: string; account?: Account },
): Promise<Figures> => {
  const took: number[] = [];
  let load: Figures = {};
  for (let run = 0; run < RUNS; run += 1) {
    const { page, close } = await open(browser, url, account);
    const readLoad = await watchLoad(page);
    await page.goto(url + path, { waitUntil: 'commit' });
    took.push(await waitUntil(page, condition));
    // The stream of live events never ends, so that the line is never idle.
    await delay(SETTLE_MS);
    load = toLoad(readLoad());
    await close();
  }
  return { 'p50 ms': toQuantile(took, 0.5), 'longest ms': Math.max(...took), ...load };
};

/** Does something in the page. @returns milliseconds until the frame in which the condition holds */
const timeUntil = async (page: Page, act: string, condition: string): Promise<number> => {
  const from = await page.evaluate<number>(`(() => { const from = performance.now(); ${act}; return from; })()`);
  return (await waitUntil(page, condition)) - from;
};

const link = `document.querySelector('tbody tr td[data-card="name"] a')`;

const isTerminal = `location.pathname !== '/terminals' && document.querySelector('h1 + *') !== null`;

const openTerminals = async (page: Page): Promise<number[]> => {
  const took: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    await waitUntil(page, `${rows} === ${ROWS}`);
    took.push(await timeUntil(page, `${link}.click()`, isTerminal));
    await page.goBack();
  }
  return took;
};

/** Presses a key as a person would, and asks the browser how long it took until the next frame was drawn. */
const WATCH_KEYS = `window.keyMs = [];
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => entry.name === 'keydown' && window.keyMs.push(entry.duration)))
    .observe({ type: 'event', durationThreshold: 16 });`;

const search = async (page: Page): Promise<{ keys: number[]; lists: number[] }> => {
  const field = page.getByRole('searchbox').first();
  await page.evaluate(WATCH_KEYS);
  const lists: number[] = [];
  let pressed = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const text = String(40 + run);
    await field.click();
    await page.keyboard.type(`terminal ${text}`, { delay: 60 });
    pressed += `terminal ${text}`.length;
    const from = performance.now();
    await waitUntil(page, `${rows} > 0 && ${rows} < ${ROWS}`);
    lists.push(performance.now() - from);
    await field.fill('');
    await waitUntil(page, `${rows} === ${ROWS}`);
  }
  const slow = await page.evaluate<number[]>('window.keyMs');
  // Faster than a frame: the browser reports none of them.
  return { keys: [...slow, ...Array<number>(Math.max(0, pressed - slow.length)).fill(16)], lists };
};

const toFigures = (took: readonly number[]): Figures => ({
  'p50 ms': toQuantile(took, 0.5),
  'longest ms': Math.max(...took),
});

export const measureBrowser = async (
  url: string,
  account: Account,
  onPoint: (name: string, figures: Figures) => void,
): Promise<void> => {
  const browser = await chromium.launch(getBrowserOptions());
  try {
    const signIn = `document.querySelector('input[type="password"]') !== null`;
    onPoint(
      'sign-in page, nothing cached',
      await measureOpening(browser, { url, path: '/sign-in', condition: signIn }),
    );
    const listed = `${rows} === ${ROWS} && ${isStill}`;
    const list = { url, path: '/terminals', condition: listed, account };
    onPoint('terminals, nothing cached, until the page of 50 of 2,000 stands', await measureOpening(browser, list));
    const { page, close } = await open(browser, url, account);
    await page.goto(`${url}/terminals`);
    await waitUntil(page, listed);
    onPoint('a click on a terminal, until its page stands', toFigures(await openTerminals(page)));
    const { keys, lists } = await search(page);
    onPoint('a key in the search, until the next frame', toFigures(keys));
    onPoint('the last key of a search, until its terminals stand', toFigures(lists));
    await close();
  } finally {
    await browser.close();
  }
};
