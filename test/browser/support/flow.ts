/**
 * A flow is a test that clicks through the dashboard in a real browser. Whatever it is about, it fails when one of its
 * pages breaks the policy, complains in the console, asks another host, or keeps somebody out who reads with a screen
 * reader. Of a failed flow, a screenshot of each page with its text and its complaints is kept in `.build/browser/`. It is then
 * done once more, only for a trace of it (`npx playwright show-trace <file>`): traces of all flows would take too long.
 *
 * `BERTH_TEST_WEATHER=late-answers` puts one of the weathers of `weather.ts` between the browser and the server.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '@berth/kit';
import { getBrowserOptions } from '@berth/testing';
import { chromium, expect as playwrightExpect, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBarriers } from './accessibility.ts';
import { watchPage } from './watch.ts';
import { parseWeather, startLine } from './weather.ts';

/** Several times what the slowest page takes beside other work; below the time of a test, so that the cause is said. */
export const PATIENCE_MS = 90_000;
/** The time for a flow that is repeated for its trace, and how many are repeated per file. */
const TRACE_MS = 60_000;
const MAX_TRACED = 3;
const kept = join(import.meta.dirname, '../../../.build/browser');

/** Waits until what is said of an element is true. */
export const see = playwrightExpect.configure({ timeout: PATIENCE_MS });

const SCREENSHOT_MS = 10_000;

const toKept = async (title: string, index: number): Promise<string> => {
  await mkdir(kept, { recursive: true });
  return join(kept, `${title.replace(/[^a-z0-9]+/gi, '-').slice(0, 80)}-${index + 1}`);
};

export interface OpenOptions {
  /** The page of a browser in which this one becomes another tab; otherwise a browser of its own. */
  beside?: Page;
  /** Who is signed in already, as by the form. */
  as?: { email: string; password: string };
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  /** Complaints of the page that the flow provokes. */
  mayBe?: RegExp[];
}

export class Visit {
  readonly #browser: Browser;
  readonly #isTraced: boolean;
  readonly #contexts: BrowserContext[] = [];
  readonly #pages: { page: Page; wrong: string[] }[] = [];
  /** The pages as axe saw them last: what has not changed since is not looked at again. */
  readonly #looked = new Map<Page, string>();
  /** Where the pages find the server: its address, or the one of the weather before it. */
  readonly url: string;

  constructor(browser: Browser, url: string, { isTraced = false } = {}) {
    this.#browser = browser;
    this.url = url;
    this.#isTraced = isTraced;
  }

  /** Opens a page of the dashboard, `/terminals`, in a browser that knows nothing yet. */
  async open(path: string, options: OpenOptions = {}): Promise<Page> {
    const context = options.beside?.context() ?? (await this.#newContext(options));
    if (options.as) {
      const data = { ...options.as, session: true };
      const answer = await context.request.post(`${this.url}/v1/auth/login`, { data });
      expect(answer.status()).toBe(200);
    }
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    this.#pages.push({ page, wrong: await watchPage(page, this.url, options.mayBe ?? []) });
    await page.goto(this.url + path);
    return page;
  }

  /** A browser without our eyes on it: a stranger's, or one that shows a page of a stranger. */
  openUnwatched(beside?: Page): Promise<Page> {
    return beside ? beside.context().newPage() : this.#newContext({}).then((context) => context.newPage());
  }

  /** Fails for what axe finds in a page as it stands, and for what its browser complained of until now. */
  async assertSound(page: Page): Promise<void> {
    const look = JSON.stringify([page.url(), page.viewportSize(), await page.content()]);
    if (this.#looked.get(page) !== look) expect(await findBarriers(page), `barriers at ${page.url()}`).toEqual([]);
    this.#looked.set(page, look);
    expect(this.#pages.find((known) => known.page === page)?.wrong ?? [], `at ${page.url()}`).toEqual([]);
  }

  async assertAllSound(): Promise<void> {
    for (const { page } of this.#pages) if (!page.isClosed()) await this.assertSound(page);
    expect(this.#pages.flatMap(({ wrong }) => wrong)).toEqual([]);
  }

  /** Keeps what the pages show now, and what they complained of. */
  async keepPages(title: string): Promise<void> {
    for (const [index, { page, wrong }] of this.#pages.entries()) {
      const path = await toKept(title, index);
      await page.screenshot({ path: `${path}.png`, timeout: SCREENSHOT_MS }).catch(() => undefined);
      const html = await page.content().catch(() => '');
      await writeFile(`${path}.html`, `<!-- ${[page.url(), ...wrong].join('\n')} -->\n${html}`);
    }
  }

  async keepTraces(title: string): Promise<void> {
    for (const [index, context] of this.#contexts.entries()) {
      await context.tracing.stop({ path: `${await toKept(title, index)}.zip` }).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    for (const context of this.#contexts) {
      // A request that a flow still answers ends with its page.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
  }

  async #newContext({ viewport, colorScheme }: OpenOptions): Promise<BrowserContext> {
    const context = await this.#browser.newContext({
      viewport: viewport ?? { width: 1280, height: 800 },
      colorScheme: colorScheme ?? 'dark',
      locale: 'en-GB',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
    });
    this.#contexts.push(context);
    if (this.#isTraced) await context.tracing.start({ snapshots: true });
    return context;
  }
}

export type Flow = (title: string, body: (visit: Visit) => Promise<void>) => void;

/** Which flows, and how. */
export interface FlowOptions {
  /** They run in the weather that is wanted; false: always in a fair one, for what is to look as it does when all has come. */
  hasWeather?: boolean;
}

const wanted = parseWeather(process.env.BERTH_TEST_WEATHER);

interface Reported {
  title: string;
  body: (visit: Visit) => Promise<void>;
}

/** Runs a flow with a page of its own, in the weather that is wanted. */
const withVisit = async (
  browser: Browser,
  toUrl: () => string,
  { isTraced, hasWeather }: { isTraced: boolean; hasWeather: boolean },
  run: (visit: Visit) => Promise<void>,
): Promise<void> => {
  const line = hasWeather && wanted && (await startLine(toUrl, wanted.weather, wanted.seed));
  const visit = new Visit(browser, line ? line.url : toUrl(), { isTraced });
  try {
    await run(visit);
  } catch (error) {
    if (line && error instanceof Error) error.message += `\nin the weather BERTH_TEST_WEATHER=${line.weather}`;
    throw error;
  } finally {
    await visit.close();
    if (line) await line.close();
  }
};

/**
 * One browser for the flows of a file. Those that failed are done once more when all have their verdict, which stands
 * whatever comes of it then: what such a flow leaves behind is in nobody's way any more.
 * @param toUrl the server's address, asked when a flow begins
 */
export const useBrowser = (toUrl: () => string, { hasWeather = true }: FlowOptions = {}): Flow => {
  let browser: Browser | undefined;
  const failed: Reported[] = [];
  beforeAll(async () => {
    browser = await chromium.launch(getBrowserOptions());
  });
  afterAll(
    async () => {
      for (const { title, body } of failed.slice(0, MAX_TRACED)) {
        await withVisit(browser!, toUrl, { isTraced: true, hasWeather }, async (visit) => {
          await Promise.race([body(visit).catch(() => undefined), sleep(TRACE_MS)]);
          await visit.keepTraces(title);
        });
      }
      await browser?.close();
    },
    (MAX_TRACED + 1) * TRACE_MS,
  );
  return (title, body) =>
    test(title, () =>
      withVisit(browser!, toUrl, { isTraced: false, hasWeather }, async (visit) => {
        try {
          await body(visit);
          await visit.assertAllSound();
        } catch (error) {
          failed.push({ title, body });
          await visit.keepPages(title);
          throw error;
        }
      }),
    );
};
