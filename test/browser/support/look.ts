/** Pages as they are looked at for an image of them: at a fixed time, when all of them has come. */
import type { Page } from '@playwright/test';
import { see, type OpenOptions, type Visit } from './flow.ts';

/** When everything happened, and when it is looked at. */
export const THEN = '2026-03-02T10:00:00Z';
const NOW = '2026-03-02T12:30:00Z';

/** The page keeps the fixed time: it does not hear what the server's clock says. */
const DEAF = `const { get } = Headers.prototype;
  Headers.prototype.get = function (name) { return name === 'date' ? null : get.call(this, name); };`;

/** Opens a page at the fixed time, and waits for what is seen last. */
export const look = async (
  visit: Visit,
  path: string,
  last: string | RegExp,
  options: OpenOptions = {},
): Promise<Page> => {
  const page = await visit.open('/sign-in', options);
  await page.clock.setFixedTime(NOW);
  await page.addInitScript(DEAF);
  await page.goto(visit.url + path);
  await see(page.getByText(last).first()).toBeVisible();
  await see(page.locator('[aria-busy="true"], .skeleton')).toHaveCount(0);
  return page;
};
