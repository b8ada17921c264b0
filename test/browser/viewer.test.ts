// @module-tag browser
/** Operators' pages as a viewer has them: whatever can be pressed there is pressed, with all that opens. */
import { TaskStatus } from '@berth/contract';
import type { Locator, Page } from '@playwright/test';
import { beforeAll, expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';

const pages = ['/overview', '/hosts', '/users', '/all-terminals', '/audit-log', '/account?tab=notifications'];
const FORBIDDEN = 403;

const { scene, flow } = useHostScene({ capacity: 2 });
let viewer: { email: string; password: string };
beforeAll(async () => {
  const { server, host } = scene;
  const owner = await server.registerOperator();
  const trader = await server.register('Ilse Marrow');
  await scene.createTerminals(trader.token, ['Gold', 'Silver']);
  await owner.berth.operator.invitations.create({});
  await owner.berth.operator.joinTokens.create({ region: 0, name: 'quay-2', capacity: 1 });
  await server.query(
    `insert into scheduled_backup (plan, interval_seconds, due_at) values ('daily', 86400, now() + interval '9 hours')`,
  );
  await server.query(
    `insert into tasks (id, user_id, host_id, terminal_id, type, status, state_since)
     select gen_random_uuid(), user_id, $1, id, 6, ${TaskStatus.QUEUED}, now() - interval '20 minutes'
     from terminals limit 1`,
    [host.id],
  );
  const { user } = await server.registerOperator();
  await server.query(`update users set operator_role = 'viewer' where id = $1`, [user.id]);
  viewer = user;
});

/** What the server refuses to this page, and a wait for all that the page has asked for. */
const watchRequests = (page: Page): { refused: Set<string>; settle: () => Promise<void> } => {
  const refused = new Set<string>();
  const pending = new Set<unknown>();
  page.on('request', (request) => {
    if (request.method() !== 'GET' || request.resourceType() === 'script') pending.add(request);
  });
  page.on('requestfailed', (request) => pending.delete(request));
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('response', (response) => {
    const path = new URL(response.url()).pathname.replace(/[\da-f]{8}-[\da-f-]{27}|\d+$/g, ':id');
    if (response.status() === FORBIDDEN) refused.add(`${response.request().method()} ${path}`);
  });
  const frames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))';
  const settle = async (): Promise<void> => {
    await page.evaluate(frames);
    await see.poll(() => pending.size).toBe(0);
    await page.evaluate(frames);
  };
  return { refused, settle };
};

/** Types into the fields of a dialog what they take. */
const fill = async (dialog: Locator): Promise<void> => {
  for (const radio of (await dialog.getByRole('radio').all()).slice(0, 1)) await radio.check();
  const toConfirm = /Type (.+) to confirm/.exec((await dialog.textContent()) ?? '')?.[1];
  for (const field of await dialog.locator('input:not([type=radio], [type=checkbox])').all()) {
    const isShort = (await field.getAttribute('maxlength')) === '2';
    const typed = { number: '1', email: 'new@pier.example' }[(await field.getAttribute('type')) ?? ''];
    if ((await field.inputValue()) === '') await field.fill(typed ?? toConfirm ?? (isShort ? 'gb' : 'Example'));
  }
};

const layers = { menu: '[role=menu]', dialog: '[role=dialog]', page: '#page' } as const;
type Layer = keyof typeof layers;

/** Presses whatever is enabled on a page, in its menus, and in its dialogs. @returns what the server refused */
const pressAll = async (page: Page, path: string): Promise<string[]> => {
  const start = new URL(path, page.url()).href;
  const { refused, settle } = watchRequests(page);
  const toLayer = async (): Promise<Layer> => {
    for (const layer of ['menu', 'dialog'] as const)
      if (await page.locator(layers[layer]).last().isVisible()) return layer;
    return 'page';
  };
  const toButtons = (layer: Layer): Locator =>
    page
      .locator(layers[layer])
      .last()
      .locator(layer === 'menu' ? '[role^=menuitem]' : 'button')
      .and(page.locator(':not([aria-disabled=true], :disabled)'))
      .filter({ visible: true });
  const press = async (index: number): Promise<void> => {
    const layer = await toLayer();
    if (layer === 'dialog') await fill(page.locator(layers.dialog).last());
    const button = toButtons(layer).nth(index);
    const opensMenu = (await button.getAttribute('aria-haspopup')) === 'menu';
    await button.click();
    if (opensMenu) await see(page.locator(layers.menu)).toBeVisible();
    await settle();
  };
  const enter = async (trail: readonly number[]): Promise<void> => {
    while ((await toLayer()) !== 'page') {
      await page.keyboard.press('Escape');
      await settle();
    }
    if (page.url() !== start) await page.goto(start);
    await see(page.locator('#page h1')).toBeVisible();
    await see(page.locator('#page [aria-busy=true], #page .skeleton')).toHaveCount(0);
    for (const index of trail) await press(index);
  };
  const walk = async (trail: readonly number[]): Promise<void> => {
    await enter(trail);
    const layer = await toLayer();
    const names = await toButtons(layer).evaluateAll((all) => all.map((one) => one.ariaLabel ?? one.textContent));
    for (const [index, name] of names.entries()) {
      // What only leads back, or what a row before has, too.
      if (/^(Cancel|Close)$/.test(name) || names.indexOf(name) < index) continue;
      await enter(trail);
      await press(index);
      const next = await toLayer();
      if (next !== 'page' && next !== layer) await walk([...trail, index]);
    }
  };
  await walk([]);
  return [...refused].sort();
};

for (const path of pages) {
  flow(`a viewer finds nothing at ${path} that can be pressed and that the server refuses`, async (visit) => {
    const page = await visit.open(path, { as: viewer });
    expect(await pressAll(page, path)).toEqual([]);
  });
}

flow('a page that takes a viewer for an owner is refused all that it offers', async (visit) => {
  const page = await visit.open('/audit-log', { as: viewer, mayBe: [/status of 403/] });
  await page.route('**/v1/auth/session', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('"role":"viewer"', '"role":"owner"');
    await route.fulfill({ response, body });
  });
  const refused: string[] = [];
  for (const path of pages.slice(0, 3)) refused.push(...(await pressAll(page, path)));
  const expected = [
    'DELETE /v1/operator/invitations/:id',
    'DELETE /v1/operator/join-tokens/:id',
    'DELETE /v1/operator/users/:id',
    'PATCH /v1/operator/hosts/:id',
    'PATCH /v1/operator/regions/:id',
    'PATCH /v1/operator/users/:id',
    'POST /v1/operator/backups',
    'POST /v1/operator/hosts/:id/drain',
    'POST /v1/operator/invitations',
    'POST /v1/operator/join-tokens',
    'POST /v1/operator/regions',
    'POST /v1/operator/tasks/:id/cancel',
    'POST /v1/operator/users',
    'POST /v1/operator/users/:id/password-link',
    'POST /v1/operator/users/:id/sign-out',
  ];
  expect(refused).toEqual(expect.arrayContaining(expected));
});
