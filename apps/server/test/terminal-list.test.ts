/** The list of terminals: the order by what needs attention, and terminals on one account. */
import { LOGGED_OUT, TerminalStatus, type TerminalDetails, type TerminalListItem } from '@berth/contract';
import { useTestServer } from '@berth/testing';
import { describe, expect, it } from 'vitest';
import { MAX_SHARED_ROWS } from '../src/db/page.ts';

const server = useTestServer();

const TERMINALS = '/v1/my/trading/terminals';

const { PENDING, INSTALLING, CONNECTING, ACTIVE, STOPPED, DISCONNECTED } = TerminalStatus;
const { LOGIN_FAILED, FAILED, UNREACHABLE, DESTROYING } = TerminalStatus;
const needs: TerminalStatus[][] = [
  [LOGIN_FAILED, FAILED],
  [DISCONNECTED, UNREACHABLE],
  [PENDING, INSTALLING, CONNECTING],
  [ACTIVE],
  [STOPPED],
  [DESTROYING],
];
const statuses = needs.flat().sort((a, b) => a - b);

const toNeed = (status: TerminalStatus): number => needs.findIndex((some) => some.includes(status));

interface Row {
  login: string;
  serverName: string;
  status: TerminalStatus;
  reason?: string;
}

interface Page<Data> {
  data: Data;
  pagination: { next_cursor: string | null };
}

/** A user with these terminals. */
const createOwner = async (rows: readonly Row[]) => {
  const { token, user } = await server.register('Owner');
  await server.query(
    `insert into terminals (id, user_id, project_id, region_id, platform, name, login, server_name, status, status_reason)
     select gen_random_uuid(), u.id, u.default_project_id, 0, 'sandbox', 'Desk ' || n, w.login, server, w.status, reason
     from users u cross join unnest($2::text[], $3::text[], $4::smallint[], $5::text[])
       with ordinality as w (login, server, status, reason, n) where u.id = $1`,
    [
      user.id,
      rows.map(({ login }) => login),
      rows.map(({ serverName }) => serverName),
      rows.map(({ status }) => status),
      rows.map(({ reason }) => reason ?? null),
    ],
  );
  const get = async <Data>(path: string): Promise<Page<Data>> =>
    (await server.request('GET', path, { token })).body as never;
  return { get };
};

const toRow = (status: TerminalStatus, index: number): Row => ({
  login: `${1000 + index}`,
  serverName: 'Demo',
  status,
});

describe.each([statuses.length * 2, MAX_SHARED_ROWS + 10])('the order by attention, of %i terminals', (count) => {
  const rows = Array.from({ length: count }, (_, index) => toRow(statuses[index % statuses.length]!, index));

  it(`the order by attention of ${count} terminals has first what failed, then what has no link, is on the way, is active or stopped`, async () => {
    const { get } = await createOwner(rows);
    const found: TerminalListItem[] = [];
    for (let page = 1; found.length < count; page += 1) {
      found.push(...(await get<TerminalListItem[]>(`${TERMINALS}?sort_by=attention&per_page=50&page=${page}`)).data);
    }
    const sorted = found.toSorted((a, b) => toNeed(a.status) - toNeed(b.status) || (a.id < b.id ? 1 : -1));
    expect(found.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
  });

  it(`the order by attention of ${count} terminals is the same by cursor, and the other way round ascending`, async () => {
    const { get } = await createOwner(rows);
    const walk = async (direction: string): Promise<string[]> => {
      const found: string[] = [];
      for (let after: string | null = 'start'; after !== null;) {
        const path: string = `${TERMINALS}?sort_by=attention&sort_direction=${direction}&per_page=7&after=${after}`;
        const { data, pagination }: Page<{ id: string }[]> = await get(path);
        found.push(...data.map(({ id }) => id));
        after = pagination.next_cursor;
      }
      return found;
    };
    const first = await get<{ id: string }[]>(`${TERMINALS}?sort_by=attention&per_page=100`);
    const down = await walk('desc');
    expect(down).toHaveLength(count);
    expect(down.slice(0, 100)).toEqual(first.data.map(({ id }) => id));
    expect(await walk('asc')).toEqual(down.toReversed());
  });
});

describe('a terminal on the account of another one', () => {
  const account = { login: '7001', serverName: 'Harbour-Demo', status: ACTIVE };
  const named = async (rows: readonly Row[]) => {
    const { get } = await createOwner(rows);
    const { data } = await get<TerminalListItem[]>(`${TERMINALS}?include=details&sort_by=name&sort_direction=asc`);
    const one = (await get<TerminalDetails>(`${TERMINALS}/${data[0]!.id}?include=details`)).data;
    expect(one.same_account_as).toEqual(data[0]!.same_account_as);
    return data.map(({ name, same_account_as: other }) => {
      const known = data.find(({ id }) => id === other?.id);
      expect(known?.name).toBe(other?.name);
      return `${name}: ${other?.name}`;
    });
  };

  it('a terminal on the account of another one names that one, whatever the zeros of the login and the case of the server', async () => {
    const rows = [account, { ...account, login: '007001', serverName: 'HARBOUR-demo' }, { ...account, login: '7002' }];
    expect(await named(rows)).toEqual(['Desk 1: Desk 2', 'Desk 2: Desk 1', 'Desk 3: undefined']);
  });

  it('a terminal on the account of another one names none of another server, of another owner, or that is being destroyed', async () => {
    await createOwner([account]);
    const rows = [account, { ...account, serverName: 'Quay-Live' }, { ...account, status: DESTROYING }];
    expect(await named(rows)).toEqual(['Desk 1: undefined', 'Desk 2: undefined', 'Desk 3: undefined']);
  });

  it('a terminal on the account of another one is found among ninety with the same login at other servers', async () => {
    const others = Array.from({ length: 90 }, (_, index) => ({ ...account, serverName: `Server-${index}` }));
    const { get } = await createOwner([account, ...others, account]);
    const { data } = await get<TerminalListItem[]>(`${TERMINALS}?include=details&search=Harbour-Demo`);
    const [first, second] = data;
    expect([first?.same_account_as?.id, second?.same_account_as?.id]).toEqual([second?.id, first?.id]);
  });
});

it('counts say how many of the stopped terminals are logged out', async () => {
  const rows = [LOGGED_OUT, LOGGED_OUT, 'stopped'].map((reason, index) => ({ ...toRow(STOPPED, index), reason }));
  const { get } = await createOwner([...rows, toRow(ACTIVE, 9)]);
  const { data } = await get<{ statuses: object[] }>(`${TERMINALS}/counts`);
  expect(data.statuses).toEqual([
    { status: ACTIVE, status_name: 'ACTIVE', total: 1, logged_out: 0 },
    { status: STOPPED, status_name: 'STOPPED', total: 3, logged_out: 2 },
  ]);
});
