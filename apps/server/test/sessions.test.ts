/** Sessions of browsers: what a page of ours can do by cookie, and what nobody else can make it do. */
import { AccountStatus } from '@berth/contract';
import { createSignInCode, useTestServer, type TestAnswer, type TestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { toDevice } from '../src/api/v1/auth.ts';

const server = useTestServer();
const behindTls = useTestServer({ config: { publicUrl: 'https://berth.example.com' } });

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

const findCookie = ({ headers }: TestAnswer): string => headers.getSetCookie()[0] ?? '';

/** A browser: keeps the cookie, and sends what a page of the server's own origin sends. */
const signIn = async (on: TestServer = server, body: Record<string, unknown> = {}) => {
  const { user, token } = await on.register('Browser');
  const login = { email: user.email, password: user.password, session: true, ...body };
  const answer = await on.request('POST', '/v1/auth/login', { body: login, headers: { 'user-agent': FIREFOX } });
  const cookie = findCookie(answer).split(';')[0]!;
  const csrf = answer.body.data.csrf_token as string;
  const send = (method: string, path: string, headers: Record<string, string> = {}, content?: unknown) =>
    on.request(method, path, { headers: { cookie, ...headers }, ...(content === undefined ? {} : { body: content }) });
  return { user, token, answer, cookie, csrf, send, change: { 'x-berth-csrf': csrf } };
};

const PROFILE = '/v1/my/account/profile';
const SESSIONS = '/v1/my/account/sessions';

it('a session stands in a cookie that no script reads, and its answer has no token', async () => {
  const { user, answer, send } = await signIn();
  expect(answer.body).toEqual({
    ok: true,
    msg: 'Logged in successfully.',
    data: { user: { name: user.name, email: user.email }, csrf_token: expect.stringMatching(/^[\w-]{43}$/) },
  });
  expect(findCookie(answer)).toMatch(
    /^berth-session=\d+\|[A-Za-z0-9]{48}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/,
  );
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect((await send('GET', PROFILE)).body.data.email).toBe(user.email);
});

it('a session is bound to the host and to TLS where the server is reached by it', async () => {
  const { answer, send, cookie, change } = await signIn(behindTls);
  expect(findCookie(answer)).toMatch(
    /^__Host-berth-session=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
  );
  expect((await send('GET', PROFILE)).status).toBe(200);
  const weaker = cookie.replace('__Host-', '');
  expect((await behindTls.request('GET', PROFILE, { headers: { cookie: weaker } })).status).toBe(401);
  const own = { ...change, origin: 'https://berth.example.com', 'sec-fetch-site': 'same-origin' };
  expect((await send('PATCH', PROFILE, own, { name: 'Renamed' })).status).toBe(200);
});

it('a session shows the value that changes need to anybody who may read it', async () => {
  const { user, csrf, send, token } = await signIn();
  const { body, headers } = await send('GET', '/v1/auth/session');
  expect(body.data).toEqual({
    user: { name: user.name, email: user.email, is_operator: false, role: null },
    csrf_token: csrf,
  });
  expect([headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual(['no-store', null]);
  expect((await server.request('GET', '/v1/auth/session', { token })).body.data.csrf_token).toBeNull();
  expect((await server.request('GET', '/v1/auth/session')).status).toBe(401);
});

it('a session changes nothing without that value, nor with that of another session, nor from elsewhere', async () => {
  const { user, send, change } = await signIn();
  const other = await signIn();
  const refused: Record<string, string>[] = [
    {},
    { 'x-berth-csrf': '' },
    { 'x-berth-csrf': 'nonsense' },
    other.change,
    { ...change, origin: 'https://evil.example' },
    { ...change, origin: 'null' },
    { ...change, origin: server.url.replace('127.0.0.1', 'localhost') },
    { ...change, 'sec-fetch-site': 'cross-site' },
    { ...change, 'sec-fetch-site': 'same-site' },
    { ...change, 'sec-fetch-site': 'none' },
  ];
  for (const headers of refused) {
    for (const [method, path, body] of [
      ['PATCH', PROFILE, { name: 'Stolen' }],
      ['POST', '/v1/my/account/tokens', { name: 'Stolen' }],
      ['POST', '/v1/auth/logout', undefined],
      ['DELETE', SESSIONS, undefined],
    ] as const) {
      const answer = await send(method, path, headers, body);
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'not_from_our_page']);
    }
  }
  const own = { ...change, origin: server.url, 'sec-fetch-site': 'same-origin' };
  expect((await send('PATCH', PROFILE, own, { name: 'Renamed' })).status).toBe(200);
  expect((await send('GET', PROFILE, { 'sec-fetch-site': 'cross-site' })).body.data).toMatchObject({
    email: user.email,
    name: 'Renamed',
  });
});

it('a session is no token, and a token is no session; a header beats the cookie', async () => {
  const { send, cookie, token, change } = await signIn();
  const secret = cookie.split('=')[1]!;
  expect((await server.request('GET', PROFILE, { token: secret })).status).toBe(401);
  expect((await server.request('GET', PROFILE, { headers: { cookie: `berth-session=${token}` } })).status).toBe(401);
  for (const authorization of ['', 'Bearer', 'Bearer nonsense', 'Basic eDp5', `Bearer ${secret}`]) {
    expect((await send('GET', PROFILE, { authorization })).status).toBe(401);
  }
  const byToken = { authorization: `Bearer ${token}`, origin: 'https://evil.example' };
  expect((await send('PATCH', PROFILE, byToken, { name: 'By token' })).status).toBe(200);
  const { body } = await send('GET', '/v1/my/account/tokens');
  expect((body.data as { id: number }[]).map(({ id }) => String(id))).not.toContain(secret.split('|')[0]);
  expect((await send('DELETE', `/v1/my/account/tokens/${secret.split('|')[0]}`, change)).status).toBe(404);
  expect((await send('DELETE', `${SESSIONS}/${token.split('|')[0]}`, change)).status).toBe(404);
});

it('a session counts for nothing where two cookies have its name, or it is broken', async () => {
  const { cookie } = await signIn();
  const other = (await signIn()).cookie;
  for (const wrong of [`${cookie}; ${other}`, `${other}; ${cookie}`, `${cookie}x`, 'berth-session=', `x${cookie}`]) {
    expect((await server.request('GET', PROFILE, { headers: { cookie: wrong } })).status).toBe(401);
  }
  const among = { cookie: `a=b; ${cookie}; theme=dark` };
  expect((await server.request('GET', PROFILE, { headers: among })).status).toBe(200);
});

it('a session is of no use to agents', async () => {
  const { send, change } = await signIn();
  for (const path of ['session', 'claim', 'report', 'heartbeat']) {
    expect((await send('POST', `/v1/agent/${path}`, change, {})).status).toBe(401);
  }
});

it('a session gives an operator the hosts, and no other page a way to change them', async () => {
  const { user, send, change } = await signIn();
  await server.query('update users set is_operator = true where id = $1', [user.id]);
  expect((await send('GET', '/v1/operator/hosts')).status).toBe(200);
  const order = { region: 0, name: 'attic' };
  expect((await send('POST', '/v1/operator/join-tokens', {}, order)).status).toBe(403);
  expect((await send('POST', '/v1/operator/join-tokens', change, order)).status).toBe(200);
});

it('a session watches live events, and they end with it', async () => {
  const { send, change, cookie } = await signIn();
  const watching = await fetch(`${server.url}/v1/my/events`, { headers: { cookie } });
  expect(watching.status).toBe(200);
  await send('POST', '/v1/auth/logout', change);
  const text = await watching.text();
  expect(text).toContain('connected');
});

it('a session ends with the logout, which takes the cookie away', async () => {
  const { send, change } = await signIn();
  const answer = await send('POST', '/v1/auth/logout', change);
  expect(answer.status).toBe(200);
  expect(findCookie(answer)).toBe('berth-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
  expect((await send('GET', PROFILE)).status).toBe(401);
});

it('a session ends with a change of the password', async () => {
  const { user, send, change } = await signIn();
  const password = { new_password: 'another one', new_password_confirmation: 'another one' };
  const body = { current_password: user.password, ...password };
  expect((await send('POST', '/v1/my/account/security/change-password', change, body)).status).toBe(200);
  expect((await send('GET', PROFILE)).status).toBe(401);
});

it.each([
  [0, 14],
  [60, 14],
  [85, 5],
])('a session that began %i days ago and is used now lasts %i days more', async (age, rest) => {
  const { send, cookie } = await signIn();
  const id = cookie.split('=')[1]!.split('|')[0];
  await server.query(
    `update tokens set created_at = now() - $2 * interval '1 day', expires_at = now() + interval '1 hour',
         last_used_at = now() - interval '2 hours' where id = $1`,
    [id, age],
  );
  expect((await send('GET', PROFILE)).status).toBe(200);
  await server.services.tokenUse.flush();
  const [row] = await server.query(
    `select round(extract(epoch from expires_at - now()) / 86400)::int as days from tokens where id = $1`,
    [id],
  );
  expect(row!.days).toBe(rest);
});

it('a session ends 90 days after it began, however often it is used', async () => {
  const { send, cookie } = await signIn();
  const id = cookie.split('=')[1]!.split('|')[0];
  const began = `update tokens set created_at = now() - $2 * interval '1 day', last_used_at = now() - interval '2 hours' where id = $1`;
  await server.query(began, [id, 91]);
  expect((await send('GET', PROFILE)).status).toBe(200);
  await server.services.tokenUse.flush();
  expect((await send('GET', PROFILE)).status).toBe(401);
});

it.each([
  ['https://evil.example', undefined],
  [undefined, 'cross-site'],
  ['null', 'same-origin'],
])('a session does not begin from another page (origin %s, site %s)', async (origin, site) => {
  const { user } = await server.register('Victim');
  const body = { email: user.email, password: user.password, session: true };
  const headers = { ...(origin ? { origin } : {}), ...(site ? { 'sec-fetch-site': site } : {}) };
  const answer = await server.request('POST', '/v1/auth/login', { body, headers });
  expect([answer.status, answer.headers.get('x-error-code'), answer.headers.getSetCookie()]).toEqual([
    403,
    'not_from_our_page',
    [],
  ]);
});

it('the list of sessions has device and last use, the calling one marked, and ends one or all others', async () => {
  const { user, send, change } = await signIn();
  const body = { email: user.email, password: user.password, session: true };
  const others = [];
  for (const agent of ['<script>alert(1)</script>', 'x'.repeat(5000)]) {
    others.push(await server.request('POST', '/v1/auth/login', { body, headers: { 'user-agent': agent } }));
  }
  const { data } = (await send('GET', SESSIONS)).body as {
    data: { id: number; device: string; is_current: boolean }[];
  };
  expect(data.map(({ device, is_current }) => [device, is_current]).sort()).toEqual([
    ['A browser on an unknown system', false],
    ['A browser on an unknown system', false],
    ['Firefox on Linux', true],
  ]);
  expect(data[0]).toEqual({
    id: expect.any(Number),
    device: expect.any(String),
    is_current: expect.any(Boolean),
    last_used_at: null,
    expires_at: expect.stringMatching(/Z$/),
    created_at: expect.stringMatching(/Z$/),
  });
  const cookieOf = (answer: TestAnswer) => findCookie(answer).split(';')[0]!;
  const [first, second] = others.map(cookieOf) as [string, string];
  const firstId = first.split('=')[1]!.split('|')[0];
  const stranger = await signIn();
  expect((await stranger.send('DELETE', `${SESSIONS}/${firstId}`, stranger.change)).status).toBe(404);
  expect((await send('DELETE', `${SESSIONS}/${firstId}`, change)).status).toBe(200);
  expect((await server.request('GET', PROFILE, { headers: { cookie: first } })).status).toBe(401);
  expect((await send('DELETE', SESSIONS, change)).status).toBe(200);
  expect((await server.request('GET', PROFILE, { headers: { cookie: second } })).status).toBe(401);
  expect((await send('GET', PROFILE)).status).toBe(200);
  expect((await stranger.send('GET', PROFILE)).status).toBe(200);
});

it.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0',
    'Edge on Windows',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 Version/17.5 Safari/605.1', 'Safari on macOS'],
  ['Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile Safari/604.1', 'Safari on iPhone'],
  [undefined, 'A browser on an unknown system'],
])('the list of sessions calls %s what a person calls it', (userAgent, device) => {
  expect(toDevice(userAgent)).toBe(device);
});

const use = (code: string, headers: Record<string, string> = {}) =>
  server.request('POST', '/v1/auth/sign-in-link', { body: { code }, headers });

it('a sign-in link signs in once; a thief who comes second is refused', async () => {
  const { user } = await server.register('Linked');
  const code = await createSignInCode(server.services.db, user.id);
  expect((await use(code, { origin: 'https://evil.example' })).status).toBe(403);
  const answers = await Promise.all([use(code), use(code), use(code)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  const used = answers.find(({ status }) => status === 200)!;
  expect(used.body.data).toEqual({ user: { name: user.name, email: user.email }, csrf_token: expect.any(String) });
  const cookie = findCookie(used).split(';')[0]!;
  expect((await server.request('GET', PROFILE, { headers: { cookie } })).body.data.id).toBe(user.id);
  const refused = await use(code);
  expect([refused.status, refused.body.errors, refused.headers.getSetCookie()]).toEqual([
    422,
    { code: ['The link was used before or has expired. Sign in with the password.'] },
    [],
  ]);
});

it('a sign-in link is of no use when it is over, wrong, or its account may not sign in', async () => {
  const { user } = await server.register('Late');
  const code = await createSignInCode(server.services.db, user.id);
  const wrong = ['x', code.slice(0, -1), `${code}0`, code.replace('.', '|'), `${code}.x`, code.split('.')[1]!];
  for (const other of wrong) expect((await use(other)).status).toBe(422);
  await server.query(`update users set status = ${AccountStatus.SUSPENDED} where id = $1`, [user.id]);
  expect((await use(code)).status).toBe(422);
  const late = await createSignInCode(server.services.db, user.id);
  await server.query(`update users set status = ${AccountStatus.ACTIVE} where id = $1`, [user.id]);
  await server.query(`update sign_in_links set expires_at = now() where user_id = $1`, [user.id]);
  expect((await use(late)).status).toBe(422);
});

it('a sign-in link does not outlive the password', async () => {
  const { user, send, change } = await signIn();
  const code = await createSignInCode(server.services.db, user.id);
  const password = { new_password: 'another one', new_password_confirmation: 'another one' };
  await send('POST', '/v1/my/account/security/change-password', change, {
    current_password: user.password,
    ...password,
  });
  expect((await use(code)).status).toBe(422);
});

it('a sign-in link stands in the database as a hash alone', async () => {
  const { user } = await server.register('Hashed');
  const secret = (await createSignInCode(server.services.db, user.id)).split('.')[1]!;
  const rows = await server.query(`select t::text as text from sign_in_links t where user_id = $1`, [user.id]);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(secret);
});
