/** The words and shapes that the API promises, held for any input: validation texts, pagination, filters. */
import { TaskType } from '@berth/contract';
import { farAhead, ValidationError } from '@berth/testing';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, createTask, createWorld, runSql, type World } from './support/world.ts';

/** For a long hunt raise it, and leave out the seed. */
const NUM_RUNS = 30;
const SEED = 20260131;
const assertFor = <Values>(property: fc.IAsyncProperty<Values>) =>
  fc.assert(property, { numRuns: NUM_RUNS, seed: SEED, endOnFailure: true });

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.server.close());

const send = (method: string, path: string, body?: unknown, token = world.owner.token) =>
  world.server.request(method, path, { token, body });

/** What is refused, by what is sent: the text of each field, in the order of the rules. */
type Refusals = [body: unknown, texts: Record<string, string>][];

const expectInvalid = async (path: string, refusals: Refusals, method = 'POST') => {
  for (const [body, texts] of refusals) {
    const [first, ...others] = Object.values(texts);
    const rest = others.length === 0 ? '' : ` (and ${others.length} more error${others.length === 1 ? '' : 's'})`;
    const errors = Object.fromEntries(Object.entries(texts).map(([field, text]) => [field, [text]]));
    const answer = await send(method, path, body);
    expect([answer.status, answer.body]).toEqual([
      422,
      { message: first! + rest, errors, code: 'validation', hint: expect.any(String) },
    ]);
    // The message is the first text; toEqual does not look at the order of keys.
    expect(Object.keys(answer.body.errors)).toEqual(Object.keys(texts));
    expect(answer.headers.get('x-error-code')).toBe('validation');
  }
};

const terminals = '/v1/my/trading/terminals';

it('the message of a 422 is the first text, and says how many more there are', () => {
  const toBody = (count: number) =>
    new ValidationError(Array.from({ length: count }, (_, index) => ({ field: 'a', text: `T${index}.` }))).toBody();
  expect(toBody(1).message).toBe('T0.');
  expect(toBody(2).message).toBe('T0. (and 1 more error)');
  expect(toBody(3).message).toBe('T0. (and 2 more errors)');
  expect(toBody(3).errors).toEqual({ a: ['T0.', 'T1.', 'T2.'] });
});

it('a change of the password is refused in the words of each rule that it breaks', async () => {
  const short = 'The new password field must be at least 6 characters.';
  const differs = 'The new password confirmation field must match new password.';
  const toBody = (current: string, next: string, confirmation = next) => ({
    ...{ current_password: current, new_password: next, new_password_confirmation: confirmation },
  });
  await expectInvalid('/v1/my/account/security/change-password', [
    [
      undefined,
      {
        current_password: 'The current password field is required.',
        new_password: 'The new password field is required.',
        new_password_confirmation: 'The new password confirmation field is required.',
      },
    ],
    [toBody('secret', 'abc'), { new_password: short }],
    [toBody('secret', 'abcdef', 'abcdeg'), { new_password_confirmation: differs }],
    [toBody('secret', 'abc', 'x'), { new_password: short, new_password_confirmation: differs }],
    [toBody('abcdef', 'abcdef'), { new_password: 'The new password field and current password must be different.' }],
  ]);
});

it('the creation of a token is refused in the words of each rule that it breaks', async () => {
  const required = { name: 'The name field is required.' };
  const past = { expires_at: 'The expires at field must be a date after now.' };
  await expectInvalid('/v1/my/account/tokens', [
    [{}, required],
    [{ name: null }, required],
    [{ name: '  ' }, required],
    [{ name: 1 }, { name: 'The name field must be a string.' }],
    [{ name: 'é'.repeat(256) }, { name: 'The name field must not be greater than 255 characters.' }],
    [{ name: 'a', expires_at: '2020-01-01T00:00:00Z' }, past],
    [{ name: 'a', expires_at: 'soon' }, { expires_at: 'The expires at field must be a valid date.' }],
    [
      { expires_at: '2020-01-01', abilities: ['read', 'fly', 'write', '*', 7] },
      {
        ...required,
        'abilities.1': 'The selected abilities.1 is invalid.',
        'abilities.3': 'The selected abilities.3 is invalid.',
        'abilities.4': 'The selected abilities.4 is invalid.',
        ...past,
      },
    ],
    [{ name: 'a', abilities: 'read' }, { abilities: 'The abilities field must be an array.' }],
  ]);
});

it('the creation of a terminal is refused in the words of each rule that it breaks', async () => {
  const right = { server_name: 'S', login: '1', password: 'p' };
  await expectInvalid(terminals, [
    [
      {},
      {
        server_name: 'The server name field is required.',
        login: 'The login field is required.',
        password: 'The password field is required.',
      },
    ],
    [{ ...right, login: 1 }, { login: 'The login field must be a string.' }],
    [{ ...right, region: '0' }, { region: 'The region field must be an integer.' }],
    ...[99, -1, 2 ** 53, 1e300].map((region): Refusals[0] => [
      { ...right, region },
      { region: 'The selected region is invalid.' },
    ]),
    ...[randomUUID(), 'x', world.terminalId].map((project_id): Refusals[0] => [
      { ...right, project_id },
      { project_id: 'The selected project id is invalid.' },
    ]),
    [{ ...right, platform: 'mt9' }, { platform: 'The selected platform is invalid.' }],
  ]);
});

it('the creation of a task is refused in the words of each rule that it breaks', async () => {
  const { OPTIONS_AUTO_TRADE, EA_LOGS, MARKET_WATCH_SHOW_ALL, EA_INSTALL } = TaskType;
  const unknownFile = { name: 'E', file_id: randomUUID(), symbol: 'EURUSD', period: 'H1' };
  const algoTrading = 'The payload.allow_algo_trading field is required.';
  await expectInvalid(`${terminals}/${world.terminalId}/tasks`, [
    [{}, { type: 'The type field is required.' }],
    ...[15, -1, 99].map((type): Refusals[0] => [{ type }, { type: 'The selected type is invalid.' }]),
    ...['6', 6.5, true].map((type): Refusals[0] => [{ type }, { type: 'The type field must be an integer.' }]),
    [{ type: OPTIONS_AUTO_TRADE }, { 'payload.allow_algo_trading': algoTrading }],
    [{ type: OPTIONS_AUTO_TRADE, payload: [] }, { payload: 'The payload field must be an object.' }],
    [{ type: EA_LOGS, payload: { lines: 0 } }, { 'payload.lines': 'The payload.lines field must be at least 1.' }],
    [
      { type: MARKET_WATCH_SHOW_ALL, payload: { filler: 'x'.repeat(16_384) } },
      { payload: 'The payload field must not be greater than 16 kilobytes.' },
    ],
    [{ type: EA_INSTALL, payload: unknownFile }, { 'payload.file_id': 'The selected payload.file_id is invalid.' }],
  ]);
});

it.each<[string, Record<string, string>]>([
  [
    'page=0&per_page=101',
    {
      page: 'The page field must be at least 1.',
      per_page: 'The per page field must not be greater than 100.',
    },
  ],
  ['status=3,x', { status: 'The selected status is invalid.' }],
  ['sort_by=id', { sort_by: 'The selected sort by is invalid.' }],
  ...['2026-02-30', '2026-1-1', '01.02.2026', '2026-01-01T00:00:00Z'].map((text): [string, Record<string, string>] => [
    `date_from=${text}`,
    { date_from: 'The date from field must match the format Y-m-d.' },
  ]),
  [
    'date_from=2026-01-02&date_to=2026-01-01',
    { date_to: 'The date to field must be a date after or equal to date from.' },
  ],
])('a list of terminals is refused with %s in the words of the rule', async (query, texts) => {
  await expectInvalid(`${terminals}?${query}`, [[undefined, texts]], 'GET');
});

describe('lists', () => {
  interface Item {
    id: string | number;
    name: string;
    login: string;
    server_name: string;
    status: number;
    created_at: string;
    region: number;
  }
  let token: string;
  let items: Item[];
  const names = ['Alpha', 'alpha 100%', 'a_b', 'a\\b', 'Grün', 'ÉTÉ', '%', '_', '\\', 'naïve %_\\ mix', 'Alpha', 'zz'];

  /** Rows by hand: every state, many days. */
  beforeAll(async () => {
    const { server } = world;
    const account = await server.register('Lister');
    token = account.token;
    await runSql(
      server,
      `insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, status, created_at)
       select gen_random_uuid(), u.id, u.default_project_id, n % 4, 'sandbox', ($2::text[])[1 + n % 12],
         'Server-' || n % 3, (1000 + n % 7)::text, n % 8, timestamptz '2026-01-01 00:00:00Z' + n / 2 * interval '12 hours'
       from users u, generate_series(0, 46) n where u.id = $1`,
      [account.user.id, names],
    );
    // The very edges of a day.
    await runSql(
      server,
      `update terminals set created_at = case login when '1000' then timestamptz '2026-01-05 00:00:00Z'
         else timestamptz '2026-01-05 23:59:59.999999Z' end where user_id = $1 and login in ('1000', '1001')`,
      [account.user.id],
    );
    await runSql(
      server,
      `insert into notifications (id, user_id, type, data, created_at)
       select gen_random_uuid(), $1, 'TerminalReady', '{}', now() from generate_series(1, 23)`,
      [account.user.id],
    );
    for (let index = 0; index < 12; index += 1) {
      await call(server, token, 'POST', '/v1/my/account/tokens', { name: `t${index}` });
      await call(server, token, 'POST', '/v1/my/projects', { name: `p${index}` });
    }
    items = (await call(server, token, 'GET', '/v1/my/trading/terminals?per_page=100')).data;
    expect(items).toHaveLength(47);
  });

  const get = async (path: string, query: Record<string, string | number>) => {
    const text = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return call(world.server, token, 'GET', `${path}?${text.toString()}`);
  };

  it.each([
    ['/v1/my/account/notifications', 15, false],
    ['/v1/my/account/tokens', 10, false],
    ['/v1/my/projects', 10, false],
    ['/v1/my/trading/terminals', 10, true],
  ])('%s: pagination fits together for every page and size', async (path, defaultPerPage, hasTo) => {
    const url = (query: object) =>
      `${world.server.url}${path}?${new URLSearchParams(Object.entries(query)).toString()}`;
    expect((await call(world.server, token, 'GET', path)).pagination.per_page).toBe(defaultPerPage);
    await assertFor(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 100 }), async (page, perPage) => {
        const { data, pagination } = await get(path, { per_page: perPage, page });
        const { total } = pagination as { total: number };
        const last = Math.max(1, Math.ceil(total / perPage));
        const count = Math.max(0, Math.min(perPage, total - (page - 1) * perPage));
        const toUrl = (target: number) => url({ per_page: String(perPage), page: String(target) });
        expect(data).toHaveLength(count);
        expect(pagination).toEqual({
          current_page: page,
          last_page: last,
          per_page: perPage,
          total,
          first_page_url: toUrl(1),
          last_page_url: toUrl(last),
          next_page_url: page < last ? toUrl(page + 1) : null,
          prev_page_url: page > 1 ? toUrl(page - 1) : null,
          from: count > 0 ? (page - 1) * perPage + 1 : null,
          ...(hasTo ? { to: count > 0 ? (page - 1) * perPage + count : null } : {}),
        });
      }),
    );
  });

  it('search is "contains", whatever its case; %, _ and \\ mean themselves', async () => {
    const parts = [
      ...names,
      '%',
      '_',
      '\\',
      '100%',
      '%_\\',
      '\\%',
      'ün',
      'été',
      'ALPHA',
      'SERVER-1',
      '100',
      'e',
      '\n',
      'a\n1',
    ];
    const lower = (text: string) => text.toLowerCase();
    await assertFor(
      fc.asyncProperty(
        fc.oneof(fc.constantFrom(...parts), fc.string({ minLength: 1, maxLength: 3 })),
        async (search) => {
          const { data } = await get('/v1/my/trading/terminals', { search, per_page: 100 });
          const wanted = search.trim();
          const matches = ({ name, login, server_name }: Item) =>
            [name, login, server_name].some((text) => lower(text).includes(lower(wanted)));
          const ids = (list: Item[]) => list.map(({ id }) => id).sort();
          expect(ids(data as Item[])).toEqual(ids(items.filter(matches)));
        },
      ),
    );
  });

  it('dates are whole days in UTC, both inclusive; statuses and regions select', async () => {
    const day = fc.integer({ min: 1, max: 14 }).map((date) => `2026-01-${String(date).padStart(2, '0')}`);
    const statuses = fc.uniqueArray(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 4 });
    const region = fc.integer({ min: 0, max: 3 });
    await assertFor(
      fc.asyncProperty(day, day, statuses, region, fc.nat(3), async (one, two, list, regionId, dice) => {
        const [from, to] = [one, two].sort() as [string, string];
        const query: Record<string, string | number> = { date_from: from, date_to: to, per_page: 100 };
        if (dice % 2) query.status = list.join(dice === 1 ? ',' : ' , ');
        if (dice > 1) query.region = regionId;
        const { data, pagination } = await get('/v1/my/trading/terminals', query);
        const expected = items.filter(({ created_at: at, status, region: place }) => {
          const isWithin = at.slice(0, 10) >= from && at.slice(0, 10) <= to;
          return isWithin && (dice % 2 === 0 || list.includes(status)) && (dice < 2 || place === regionId);
        });
        expect(pagination.total).toBe(expected.length);
        expect((data as Item[]).map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
      }),
    );
  });

  it('unknown regions and projects in a filter match nothing', async () => {
    const none = async (query: Record<string, string | number>) => {
      const { data, pagination } = await get('/v1/my/trading/terminals', query);
      expect([data, pagination.total, pagination.last_page, pagination.from, pagination.to]).toEqual([
        [],
        0,
        1,
        null,
        null,
      ]);
    };
    for (const region of [99, -1, 2_147_483_648, -2_147_483_649, 999_999_999_999_999]) await none({ region });
    for (const project_id of [randomUUID(), 'x', '0', "'", 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
      await none({ project_id });
  });

  it('tasks come newest first, whole without a page, in pages with one', async () => {
    const { server, owner, terminalId } = world;
    for (let index = 0; index < 12; index += 1) {
      await createTask(server, owner.token, terminalId, {
        type: TaskType.SCREENSHOT,
        planned_at: farAhead,
      });
    }
    const path = `/v1/my/trading/terminals/${terminalId}/tasks`;
    const whole = await call(server, owner.token, 'GET', path);
    expect(Object.keys(whole)).toEqual(['ok', 'msg', 'data']);
    const ids = (whole.data as Item[]).map(({ id }) => id);
    expect(ids).toEqual([...ids].sort().reverse());
    for (const query of ['page=1', 'per_page=10', 'page=2&per_page=5']) {
      const { data, pagination } = await call(server, owner.token, 'GET', `${path}?${query}`);
      const { current_page: page, per_page: size, from, to, total } = pagination;
      expect((data as Item[]).map(({ id }) => id)).toEqual(ids.slice((page - 1) * size, page * size));
      expect([from, to, total]).toEqual([(page - 1) * size + 1, (page - 1) * size + data.length, ids.length]);
    }
    const installs = await call(server, owner.token, 'GET', `${path}?type=0`);
    expect((installs.data as Item[]).map(({ id }) => id)).toEqual([ids.at(-1)]);
    expect((await call(server, owner.token, 'GET', `${path}?status=7&page=1`)).pagination.total).toBe(0);
  });
});
