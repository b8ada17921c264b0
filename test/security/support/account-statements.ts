/** What each statement of accounts and deals does when it alone stands between two owners, or two hosts. */
import { randomUUID } from 'node:crypto';
import { historySteps } from '@berth/contract';
import { toAccountState } from '@berth/testing';
import type { Look, Transaction } from './single-statements.ts';

const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const ALL_TIME = ['2000-01-01', '2100-01-01', 100];

type Account = { id: string; login: string; server_name: string };

/** The account of the owner's terminal with a point, a deal and a cursor, last seen a minute ago by this host. */
const plantAccount = async ({ plant }: Transaction, terminalId: string, hostId: string): Promise<Account> => {
  await plant('delete from trading_accounts', []);
  const [account] = await plant(
    `insert into trading_accounts (terminal_id, login, server_name, host_id, taken_at, seen_at, sequence, currency, currency_digits,
       balance, equity, profit, is_synchronized, positions_total, minute_at, minute_min, minute_max, day_at, day_first, day_max)
     select id, login, server_name, $2, now() - interval '10 seconds', now() - interval '10 seconds', 100, 'USD', 2, 1, 1, 1, true, 1,
       now(), 1, 1, now(), 1, 1 from terminals where id = $1 returning id::text, login, server_name`,
    [terminalId, hostId],
  );
  await plant(`update terminals set status = 3 where id = $1`, [terminalId]);
  await plant(`insert into deal_cursors (account_id, deals_left, events_left) values ($1, 10, 10)`, [account!.id]);
  await plant(
    `insert into deals select $1, 1, user_id, now(), 0, 0, '', 'buy', 'in', 1, 1, 0, 0, 0, '0', '' from terminals where id = $2`,
    [account!.id, terminalId],
  );
  return account as Account;
};

const withAccount =
  (look: (...input: [...Parameters<Look>, account: Account]) => Promise<unknown>): Look =>
  async (tx, scene) =>
    look(tx, scene, await plantAccount(tx, scene.terminalId, scene.host.id));

/** The arguments of a report of one terminal. */
const toReport = (hostId: string, terminalId: string, { login, server_name }: Account): unknown[] => [
  hostId,
  [terminalId],
  [login],
  [server_name],
];

const take = (tx: Transaction, hostId: string, terminalId: string, { login, server_name }: Account) => {
  const { age_ms: _, at: _at, ...state } = toAccountState();
  const columns = Object.values({ ...state, positions: '[]', orders: '[]' }).map((value) => [value]);
  return tx.run('take_account_states', [[hostId], [terminalId], [login], [server_name], [0], 800, ...columns]);
};

/** What the users say of the account of the owner's terminal. */
const plantBalances = ({ plant }: Transaction, terminalId: string, userIds: readonly string[]) =>
  plant(
    `insert into initial_balances (user_id, login, server_name, amount)
     select n.id, ltrim(t.login, '0'), lower(t.server_name), 7 from terminals t cross join unnest($2::uuid[]) as n (id) where t.id = $1`,
    [terminalId, userIds],
  );
const LIST_BALANCES = 'select user_id = $1 as is_owners, amount::text from initial_balances order by 1';

const anothersBalances: Look[] = [
  withAccount(
    async ({ run }, { stranger, terminalId }) =>
      (await run('find_initial_balance', [terminalId, stranger.user.id])).length,
  ),
  async ({ run }, { otherHost, terminalId }) =>
    (await run('list_initial_balances', [otherHost.id, [terminalId]])).length,
  // Somebody else says something of the same account.
  withAccount(async (tx, { owner, host, stranger, terminalId }) => {
    await plantBalances(tx, terminalId, [stranger.user.id]);
    const found = [
      await tx.run('find_initial_balance', [terminalId, owner.user.id]),
      await tx.run('list_initial_balances', [host.id, [terminalId]]),
      await tx.run('find_trading_account', [terminalId, owner.user.id]),
    ];
    return found.map(([row]) => row?.initial_balance);
  }),
  async (tx, { owner, stranger, terminalId }) => {
    await plantBalances(tx, terminalId, [owner.user.id, stranger.user.id]);
    await tx.run('clear_initial_balance', [terminalId, stranger.user.id]);
    return tx.plant(LIST_BALANCES, [owner.user.id]);
  },
  async (tx, { owner, stranger, terminalId }) => {
    await plantBalances(tx, terminalId, [owner.user.id, stranger.user.id]);
    await tx.run('clear_initial_balance', [terminalId, owner.user.id]);
    return tx.plant(LIST_BALANCES, [owner.user.id]);
  },
  async (tx, { owner, stranger, terminalId }) => {
    await tx.run('set_initial_balance', [terminalId, stranger.user.id, '5.00']);
    return tx.plant(LIST_BALANCES, [owner.user.id]);
  },
  // The stranger has no terminal of the account any more, the owner has.
  async (tx, { owner, stranger, terminalId }) => {
    await tx.plant('update terminals set deleted_at = now() where user_id = $1', [stranger.user.id]);
    await plantBalances(tx, terminalId, [stranger.user.id]);
    await tx.plant(`update initial_balances set set_at = now() - interval '3 years'`, []);
    await tx.run('prune_initial_balances', [10]);
    return tx.plant(LIST_BALANCES, [owner.user.id]);
  },
];

export const anothersAccounts: Look[] = [
  ...anothersBalances,
  // The word of another host.
  withAccount(async (tx, { otherHost, terminalId }, account) =>
    (await take(tx, otherHost.id, terminalId, account)).map(({ is_here }) => is_here),
  ),
  // A sequence begins anew on another host.
  async (tx, { host, otherHost, terminalId }) => {
    const account = await plantAccount(tx, terminalId, otherHost.id);
    return (await take(tx, host.id, terminalId, account)).map(({ is_old }) => is_old);
  },
  // Somebody else watches.
  withAccount(async (tx, { host, stranger, terminalId }, account) => {
    await tx.plant('delete from event_watchers', []);
    await tx.plant('insert into event_watchers (user_id, server_id) values ($1, $2)', [stranger.user.id, randomUUID()]);
    return (await take(tx, host.id, terminalId, account)).map(({ is_watched }) => is_watched);
  }),
  withAccount(
    async ({ run }, { stranger, terminalId }) =>
      (await run('find_trading_account', [terminalId, stranger.user.id])).length,
  ),
  withAccount(
    async ({ run }, { stranger }) =>
      (await run('list_accounts_overview', [stranger.user.id, null, null, LOWEST_ID, 100])).length,
  ),
  withAccount(async ({ run }, { stranger }) => (await run('sum_accounts', [stranger.user.id, null, null])).length),
  // What an earlier host of the terminal said is not current.
  async (tx, { owner, otherHost, terminalId }) => {
    await plantAccount(tx, terminalId, otherHost.id);
    const [account] = await tx.run('find_trading_account', [terminalId, owner.user.id]);
    const [item] = await tx.run('list_accounts_overview', [owner.user.id, null, null, LOWEST_ID, 100]);
    const [totals] = await tx.run('sum_accounts', [owner.user.id, null, null]);
    return [account?.is_current, item?.is_current, totals?.not_current];
  },
  ...historySteps.map((step) =>
    withAccount(
      async ({ run }, { stranger, terminalId }) =>
        (await run(`read_account_history_${step}`, [terminalId, stranger.user.id, ...ALL_TIME])).length,
    ),
  ),
  withAccount(
    async ({ run }, { stranger, terminalId }) =>
      (await run('find_deals_of_terminal', [terminalId, stranger.user.id])).length,
  ),
  withAccount(
    async ({ run }, { stranger }, { id }) =>
      (await run('list_deals', [id, stranger.user.id, -1, null, null, 10])).length,
  ),
  withAccount(({ run }, { stranger }) => run('find_deals_complete_until', [stranger.user.id])),
  withAccount(
    async ({ run }, { stranger }) =>
      (await run('list_all_deals', [stranger.user.id, '0001-01-01', 0, -1, null, null, 10])).length,
  ),
  ...['find_deal_cursors', 'lock_deal_cursors'].map((name) =>
    withAccount(
      async ({ run }, { otherHost, terminalId }, account) =>
        (await run(name, toReport(otherHost.id, terminalId, account))).length,
    ),
  ),
  withAccount(async ({ run, plant }, { otherHost, terminalId }, account) => {
    await plant('delete from trading_accounts', []);
    await run('ensure_trading_accounts', toReport(otherHost.id, terminalId, account));
    return plant('select count(*) as total from trading_accounts', []);
  }),
  withAccount(async ({ run, plant }, { otherHost, terminalId }, account) => {
    await plant('delete from deal_cursors', []);
    await run('ensure_deal_cursors', toReport(otherHost.id, terminalId, account));
    return plant('select count(*) as total from deal_cursors', []);
  }),
];
