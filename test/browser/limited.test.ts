// @module-tag browser
/**
 * Requests are few: a list that is reloaded again and again works each time, and too many requests get the time to
 * wait.
 */
import type { Page } from '@playwright/test';
import { waitFor } from '@berth/testing';
import { expect } from 'vitest';
import { PATIENCE_MS, see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';

const { scene, flow } = useHostScene({ config: { isRateLimited: true } });

const TERMINALS = 44;
/**
 * Session, list, counts, days, accounts, regions, projects, saved views, alerts, notifications, runs, the stop, events: and
 * room for what else a page may need.
 */
const MAX_REQUESTS = 15;

/** One white pixel. */
const SCREENSHOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC';

const addScreenshots = (userId: string): Promise<unknown> =>
  scene.server.query(
    `with added as (
       insert into files (id, user_id, name, type, size, sha256, content)
       select gen_random_uuid(), $1, 'a.png', 'image/png', length(c), encode(sha256(c), 'hex'), c
       from terminals, decode($2, 'base64') c where user_id = $1 returning id
     ), files_of as (select id, row_number() over () as place from added),
     terminals_of as (select id, row_number() over () as place from terminals where user_id = $1)
     insert into terminal_screenshots (terminal_id, file_id) select t.id, f.id from terminals_of t join files_of f using (place)`,
    [userId, SCREENSHOT],
  );

const isOfApi = (url: string): boolean => new URL(url).pathname.startsWith('/v1/');
const isScreenshot = (url: string): boolean => new URL(url).pathname.endsWith('/screenshot');

flow('a list of 44 terminals is reloaded ten times in a row, and asks for nothing twice', async (visit) => {
  const { user, token } = await scene.server.register('Ada Lovelace');
  await scene.createTerminals(
    token,
    Array.from({ length: TERMINALS }, (_, index) => `Desk ${index + 1}`),
  );
  await addScreenshots(user.id);
  const page = await visit.open('/sign-in', { as: user });
  let asked: string[] = [];
  let isLoading = false;
  const refused: string[] = [];
  page.on('request', (request) => {
    if (isOfApi(request.url())) asked.push(`${request.method()} ${request.url()}`);
  });
  // What the page before still asks for as it goes is not counted.
  page.on('framenavigated', () => {
    if (isLoading) asked = [];
    isLoading = false;
  });
  page.on('response', (answer) => {
    if (answer.status() === 429) refused.push(answer.url());
  });
  await page.goto(`${visit.url}/terminals`);
  for (let load = 1; load <= 10; load += 1) {
    isLoading = true;
    await page.reload({ waitUntil: 'commit' });
    await see(page.getByRole('row').filter({ hasText: 'Desk' })).toHaveCount(TERMINALS);
    await see(page.getByText('Live', { exact: true }).first()).toBeVisible();
    // What follows the first look has come by then, too.
    await page.waitForLoadState('load');
  }
  const counted = asked.filter((request) => !isScreenshot(request.split(' ')[1]!));
  expect(new Set(counted).size, counted.join('\n')).toBeLessThanOrEqual(MAX_REQUESTS);
  // Where the stream comes late, as on a busy machine, what was read before is read once more, and rightly so.
  const isLate = await page.evaluate(() => performance.getEntriesByName('berth:stream-late').length > 0);
  const timesOf = (request: string): number => counted.filter((other) => other === request).length;
  expect(Math.max(...counted.map(timesOf)), counted.join('\n')).toBeLessThanOrEqual(isLate ? 2 : 1);
  expect(refused).toEqual([]);
});

/** Uses up what the session may ask for in this minute, of which the last seconds are then left. */
const useUp = async (page: Page, url: string): Promise<void> => {
  const ask = () => page.context().request.get(`${url}/v1/my/projects`);
  let answer = await ask();
  while (answer.status() === 200) [answer] = (await Promise.all(Array.from({ length: 20 }, ask))) as [typeof answer];
  const isSoonOver = async (): Promise<boolean> => {
    await scene.server.query(`update rate_uses set ends_at = now() + interval '6 seconds'`);
    return Number((await ask()).headers()['retry-after'] ?? 99) <= 6;
  };
  await waitFor(isSoonOver, { what: 'the end of the minute', timeoutMs: PATIENCE_MS });
};

flow('a page that asked too much says how long it waits, and goes on by itself', async (visit) => {
  const { user, token } = await scene.server.register('Grace Hopper');
  await scene.createTerminals(token, ['Patience']);
  const page = await visit.open('/sign-in', { as: user, mayBe: [/status of 429/] });
  await useUp(page, visit.url);
  await page.goto(`${visit.url}/terminals`);
  await see(page.getByText(/^Too many requests, retrying (in \d+ s|now)/)).toBeVisible();
  await visit.assertSound(page);
  await see(page.getByRole('row').filter({ hasText: 'Patience' })).toBeVisible();
  await see(page.getByText(/^Too many requests/)).toHaveCount(0);

  // So does a page that stands already.
  await useUp(page, visit.url);
  await page.getByRole('link', { name: 'Projects' }).click();
  await see(page.getByText(/^Too many requests, retrying (in \d+ s|now)/)).toBeVisible();
  await see(page.getByRole('table')).toBeVisible();
});
