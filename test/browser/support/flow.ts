/**
 * A flow is a test that clicks through the dashboard in a real browser. Whatever it is about, it fails when one of its
 * pages breaks the policy, complains in the console, asks another host, or keeps somebody out who reads with a screen
 * reader. Of a failed flow a picture of each page and a trace are kept in `.build/browser/`
 * (`npx playwright show-trace <file>`).
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { getBrowserOptions } from '@berth/testing';
import { chromium, expect as playwrightExpect, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBarriers } from './accessibility.ts';
import { watchPage } from './watch.ts';

/** Several times what the slowest page takes beside other work; below the time of a test, so that the cause is said. */
export const PATIENCE_MS = 90_000;
const kept = join(import.meta.dirname, '../../../.build/browser');

/** Waits until what is said of an element is true. */
export const see = playwrightExpect.configure({ timeout: PATIENCE_MS });

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
  readonly #url: string;
  readonly #contexts: BrowserContext[] = [];
  readonly #pages: { page: Page; wrong: string[] }[] = [];

  constructor(browser: Browser, url: string) {
    this.#browser = browser;
    this.#url = url;
  }

  /** Opens a page of the dashboard, `/terminals`, in a browser that knows nothing yet. */
  async open(path: string, options: OpenOptions = {}): Promise<Page> {
    const context = options.beside?.context() ?? (await this.#newContext(options));
    if (options.as) {
      const data = { ...options.as, session: true };
      const answer = await context.request.post(`${this.#url}/v1/auth/login`, { data });
      expect(answer.status()).toBe(200);
    }
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    this.#pages.push({ page, wrong: await watchPage(page, this.#url, options.mayBe ?? []) });
    await page.goto(this.#url + path);
    return page;
  }

  /** A browser without our eyes on it: a stranger's, or one that shows a page of a stranger. */
  openUnwatched(beside?: Page): Promise<Page> {
    return beside ? beside.context().newPage() : this.#newContext({}).then((context) => context.newPage());
  }

  /** Fails for what axe finds in a page as it stands, and for what its browser complained of until now. */
  async assertSound(page: Page): Promise<void> {
    expect(await findBarriers(page), `barriers at ${page.url()}`).toEqual([]);
    expect(this.#pages.find((known) => known.page === page)?.wrong ?? [], `at ${page.url()}`).toEqual([]);
  }

  async assertAllSound(): Promise<void> {
    for (const { page } of this.#pages) if (!page.isClosed()) await this.assertSound(page);
    expect(this.#pages.flatMap(({ wrong }) => wrong)).toEqual([]);
  }

  async keep(title: string): Promise<void> {
    const name = title.replace(/[^a-z0-9]+/gi, '-').slice(0, 80);
    await mkdir(kept, { recursive: true });
    for (const [index, { page }] of this.#pages.entries()) {
      const path = join(kept, `${name}-${index + 1}.png`);
      await page.screenshot({ path }).catch(() => undefined);
    }
    for (const [index, context] of this.#contexts.entries()) {
      await context.tracing.stop({ path: join(kept, `${name}-${index + 1}.zip`) }).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    for (const context of this.#contexts) await context.close();
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
    await context.tracing.start({ snapshots: true });
    return context;
  }
}

export type Flow = (title: string, body: (visit: Visit) => Promise<void>) => void;

/**
 * One browser for the flows of a file.
 * @param toUrl the server's address, asked when a flow begins
 */
export const useBrowser = (toUrl: () => string): Flow => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch(getBrowserOptions());
  });
  afterAll(() => browser?.close());
  return (title, body) =>
    test(title, async () => {
      const visit = new Visit(browser!, toUrl());
      try {
        await body(visit);
        await visit.assertAllSound();
      } catch (error) {
        await visit.keep(title);
        throw error;
      } finally {
        await visit.close();
      }
    });
};
