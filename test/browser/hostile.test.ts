// @module-tag browser
/** Strangers: pages of another origin, files that would like to be pages, and names that would like to be markup. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { startTestServer, TestHost, type TestServer } from '@berth/testing';
import { TerminalStatus } from '@berth/contract';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { assertNoSideScroll } from './support/page.ts';

let server: TestServer;
let host: TestHost;
let stranger: Server;
/** What a stranger's page holds now. */
let strangePage = '';
beforeAll(async () => {
  server = await startTestServer();
  host = await TestHost.enrol(server, { capacity: 20 });
  stranger = createServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(strangePage);
  });
  stranger.listen(0, '127.0.0.1');
  await once(stranger, 'listening');
});
afterAll(async () => {
  stranger?.close();
  stranger?.closeAllConnections();
  await server?.close();
});

const flow = useBrowser(() => server.url);

/** The same machine by another port is another origin that gets the cookie; by another name it is another site. */
const listStrangers = (): string[] => {
  const { port } = stranger.address() as AddressInfo;
  return [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`];
};

flow('a page of another origin changes nothing with the cookie, reads nothing, and signs nobody in', async (visit) => {
  const { user, berth } = await server.register('Ada Lovelace');
  const mallory = await server.register('Mallory');
  const page = await visit.open('/terminals', { as: user });
  await see(page.getByRole('heading', { name: 'Terminals', level: 1 })).toBeVisible();
  const before = await berth.projects.list().toArray();
  const strange = await visit.openUnwatched(page);
  const cookies: (string | undefined)[] = [];
  strange.on('response', (answer) => {
    if (!answer.url().endsWith('/v1/my/projects')) return;
    void answer.request().allHeaders().then(({ cookie }) => cookies.push(cookie)); // prettier-ignore
  });
  const login = JSON.stringify({ email: mallory.user.email, password: mallory.user.password, session: true });
  for (const address of listStrangers()) {
    strangePage = '<!doctype html><title>Stranger</title>';
    await strange.goto(address);
    const read = await strange.evaluate<string[]>(`(async () => {
      const send = (path, options) => fetch(${JSON.stringify(visit.url)} + path, { credentials: 'include', ...options })
        .then((answer) => answer.text(), () => '').catch(() => '');
      const body = JSON.stringify({ name: 'Forged' });
      const json = { 'content-type': 'application/json', 'x-berth-csrf': 'guess' };
      return Promise.all([
        send('/v1/my/projects', { method: 'POST', mode: 'no-cors', body }),
        send('/v1/my/projects', { method: 'POST', headers: json, body }),
        send('/v1/auth/login', { method: 'POST', mode: 'no-cors', body: ${JSON.stringify(login)} }),
        send('/v1/auth/session', {}),
        send('/v1/my/account/profile', { mode: 'no-cors' }),
      ]);
    })()`);
    expect(read).toEqual(['', '', '', '', '']);
    strangePage = `<!doctype html><form method="post" enctype="text/plain" action="${visit.url}/v1/my/projects">
      <input name='{"name":"Forged","x":"' value='"}'></form>`;
    await strange.goto(address);
    const answered = strange.waitForResponse(`${visit.url}/v1/my/projects`);
    await strange.evaluate('document.forms[0].submit()');
    expect((await answered).status()).toBeGreaterThanOrEqual(400);
    await strange.waitForURL(`${visit.url}/v1/my/projects`);
  }
  // Without the cookie on any of these requests, the rest would prove nothing.
  await see.poll(() => cookies.some((cookie) => cookie?.includes('berth-session='))).toBe(true);
  expect(await berth.projects.list().toArray()).toEqual(before);
  await page.reload();
  await see(page.getByRole('button', { name: `Your account: ${user.name}` })).toBeVisible();
});

flow('a page of another origin shows nothing of the dashboard in a frame', async (visit) => {
  const { user } = await server.register('Grace Hopper');
  const page = await visit.open('/terminals', { as: user });
  const strange = await visit.openUnwatched(page);
  for (const address of listStrangers()) {
    strangePage = `<!doctype html><iframe src="${visit.url}/terminals"></iframe>`;
    await strange.goto(address);
    await see.poll(() => strange.frames()[1]?.url()).toMatch(/^chrome-error:/);
  }
});

const SCRIPT = `fetch('/v1/my/projects?executed')`;
const UPLOADS = [
  { name: 'page.html', content: `<!doctype html><title>Executed</title><script>${SCRIPT}</script>` },
  {
    name: 'drawing.svg',
    content: `<svg xmlns="http://www.w3.org/2000/svg" onload="${SCRIPT}"><script>${SCRIPT}</script></svg>`,
  },
];

flow('an uploaded page or drawing is saved when its link is opened, and never runs', async (visit) => {
  const { user, berth } = await server.register('Emmy Noether');
  const page = await visit.open('/terminals', { as: user });
  const strange = await visit.openUnwatched(page);
  const asked: string[] = [];
  page.context().on('request', (request) => asked.push(request.url()));
  for (const { name, content } of UPLOADS) {
    const { id } = await berth.files.upload(name, content);
    const link = `${visit.url}/v1/my/files/${id}/content`;
    const saved = strange.waitForEvent('download');
    await expect(strange.goto(link)).rejects.toThrow(/Download is starting|ERR_ABORTED/);
    expect((await saved).suggestedFilename()).toBe(name);
    expect(asked).toContain(link);
  }
  expect(strange.url()).toBe('about:blank');
  expect(asked.filter((url) => url.endsWith('?executed'))).toEqual([]);
});

/** Would change the title of the page if it were markup anywhere. */
const MARKUP = `<img src=x onerror="document.title='executed'"><script>document.title='executed'</script>`;
/** Turns what follows around, unless it is kept to itself. */
const RIGHT_TO_LEFT = '\u202Eevil \u2067שלום';
const NAMES = [`${MARKUP} markup`, `${RIGHT_TO_LEFT} turned`, `${'W'.repeat(240)} long`];

const assertHarmless = async (page: Page): Promise<void> => {
  await see(page.getByText(/ markup$/).first()).toBeVisible();
  for (const name of NAMES) await see(page.getByText(name).first()).toBeAttached();
  expect(await page.title()).not.toContain('executed');
  expect(await page.locator('#app img[src="x"]').count()).toBe(0);
  await assertNoSideScroll(page);
};

flow('names and reasons full of markup, of turned and of endless text are text in the list', async (visit) => {
  const { user, berth } = await server.register('Lise Meitner');
  await server.query('update users set name = $1 where id = $2', [MARKUP, user.id]);
  for (const [index, name] of NAMES.entries()) {
    const account = { server_name: MARKUP.slice(0, 128), login: `${index}`.repeat(64), password: 'secret' };
    await berth.terminals.create({ ...account, platform: 'sandbox', name });
  }
  await host.installAll();
  for (const { id } of await berth.terminals.list().toArray()) {
    const change = { kind: 'terminal', terminal_id: id, status: TerminalStatus.LOGIN_FAILED } as const;
    await host.report({ ...change, reason: `${MARKUP} ${'long '.repeat(60)}` });
  }
  const page = await visit.open('/terminals', { as: user, viewport: { width: 1440, height: 900 } });
  await assertHarmless(page);
  await visit.assertSound(page);
  await page.setViewportSize({ width: 375, height: 720 });
  await assertHarmless(page);
});
