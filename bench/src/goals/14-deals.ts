import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { stopProcess, type Bench } from '../bench.ts';
import type { Figures, Goal } from '../goal.ts';
import { seed } from '../seed.ts';
import { createActive, openPhone, startStack } from '../stack.ts';
import { toQuantile } from '../statistics.ts';
import { Wire } from '../wire.ts';
import { toMovingState } from './13-accounts.ts';

const DEALS = 200;
const PAUSE_MS = 50;
/** Deals of a terminal of the sandbox, and the longest pause between two. */
const TERMINAL_DEALS = 60;
const TERMINAL_PAUSE_MS = 1_500;
/** What is kept of an account: a day of minutes, 30 days of quarters of an hour, two years of hours and of days. */
const POINTS = { account_minutes: 1_500, account_quarters: 2_884, account_hours: 17_544, account_days: 731 };
const ACCOUNTS = 20;

const toDeal = (ticket: number) => ({
  ticket: String(ticket),
  order: '1',
  position_id: '1',
  symbol: 'EURUSD',
  side: 'buy',
  entry: 'in',
  volume: '0.10',
  price: '1.05000',
  commission: '-0.70',
  swap: '0.00',
  profit: '12.30',
  magic: '0',
  comment: 'trend',
  at: new Date().toISOString(),
});

/** When each deal reached the reader of a stream, by its ticket. */
const watch = async (url: string, token: string, signal: AbortSignal) => {
  const arrivals = new Map<string, number>();
  const answer = await fetch(`${url}/v1/my/events`, { headers: { authorization: `Bearer ${token}` }, signal });
  const read = async (): Promise<void> => {
    let text = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const ticket = /"type":"account.deal".*"ticket":"(\d+)"/.exec(block)?.[1];
        if (ticket !== undefined) arrivals.set(ticket, performance.now());
      }
    }
  };
  read().catch(() => undefined);
  return arrivals;
};

/** From the broker's deal, through the terminal, its agent and the server. */
const measureFromTerminal = async (bench: Bench): Promise<Figures> => {
  const stack = await startStack(bench);
  const wire = await stack.register('bench');
  await createActive(wire, 0);
  const phone = await openPhone(stack, '70000');
  const stop = new AbortController();
  const arrivals = await watch(wire.origin, wire.bearer, stop.signal);
  await delay(5_000);
  const open = { action: 'open', symbol: 'EURUSD', side: 'buy', volume: '0.01' } as const;
  const tickets = new Set<string | null>();
  for (let count = 0; count < TERMINAL_DEALS; count += 1) {
    tickets.add((await phone.trade(open)).deal);
    await delay(Math.random() * TERMINAL_PAUSE_MS);
  }
  const made = (await phone.listDeals()).filter(({ ticket }) => tickets.has(ticket));
  while (made.some(({ ticket }) => !arrivals.has(ticket))) await delay(20);
  const toWallMs = (ms: number | undefined) => performance.timeOrigin + (ms ?? NaN);
  const times = made.map(({ ticket, at }) => toWallMs(arrivals.get(ticket)) - Date.parse(at));
  stop.abort();
  phone.close();
  wire.close();
  await stack.stop();
  return {
    'ms from the deal at the broker to the stream, p50': toQuantile(times, 0.5),
    'ms from the deal at the broker to the stream, p99': toQuantile(times, 0.99),
  };
};

export const deals: Goal = {
  id: '14',
  title: 'from a deal, and from its report, to the stream of its user; history of an account on disk',
  measure: async (bench) => {
    const database = await bench.createDatabase();
    const { hosts, terminals, token } = await seed(database, { hosts: 1, terminalsPerHost: ACCOUNTS });
    const [row] = await bench.query(database, `select login from terminals where id = '${terminals[0]!.id}'`);
    const berth = await bench.startServer(database);
    const wire = new Wire(berth.url, hosts[0]!.bearer);
    const session_id = randomUUID();
    await wire.post('/v1/agent/session', { session_id, agent_version: 'bench', platforms: ['sandbox'] });
    const report = (others: object) => {
      const account = { terminal_id: terminals[0]!.id, login: row!.login, server: 'Bench-Server' };
      return wire.post('/v1/agent/accounts', { session_id, terminals: [{ ...account, ...others }] });
    };
    await report({ state: toMovingState(1) });
    const stop = new AbortController();
    const arrivals = await watch(berth.url, token, stop.signal);
    await delay(2_000);
    const sent = new Map<string, number>();
    for (let ticket = 1; ticket <= DEALS; ticket += 1) {
      const deal = toDeal(ticket);
      sent.set(deal.ticket, performance.now());
      const after = ticket === 1 ? null : String(ticket - 1);
      await report({ deals: { after, deals: [deal], is_complete: true, complete_until: deal.at } });
      await delay(PAUSE_MS);
    }
    while (arrivals.size < DEALS) await delay(20);
    stop.abort();
    const times = [...sent].map(([ticket, at]) => (arrivals.get(ticket) ?? NaN) - at);
    wire.close();
    await stopProcess(berth.process);
    await bench.query(
      database,
      Object.entries(POINTS)
        .map(
          ([
            table,
            points,
          ]) => `insert into ${table} select a, now() - n * interval '1 hour', 10000.10 + n, 9990.25 + n, 10010.75 + n,
            10005.50 + n, 5.40 from generate_series(1000, ${999 + ACCOUNTS}) as a cross join generate_series(1, ${points}) as n`,
        )
        .join(';'),
    );
    const sizes = Object.keys(POINTS).map((table) => `pg_total_relation_size('${table}')`);
    const [disk] = await bench.query(database, `select ${sizes.join(' + ')} as bytes`);
    return [
      {
        'ms to the stream, p50': toQuantile(times, 0.5),
        'ms to the stream, p99': toQuantile(times, 0.99),
        'MB of history per account': Number(disk!.bytes) / ACCOUNTS / 1e6,
        ...(await measureFromTerminal(bench)),
      },
    ];
  },
  judge: (medians) => {
    const most = (what: string, name: string, goal: number, moonshot: number) =>
      ({ what, value: medians[name] ?? NaN, goal, moonshot, direction: 'most' }) as const;
    const from = 'ms from the deal at the broker to the stream';
    return [
      most('from the report, p50', 'ms to the stream, p50', 400, 50),
      most('from the report, p99', 'ms to the stream, p99', 1_500, 200),
      most('from the deal, p50', `${from}, p50`, 400, 250),
      most('from the deal, p99', `${from}, p99`, 1_500, 700),
    ];
  },
};
