/** What the images show: terminals of the sandbox as somebody might have them, after a day. */
import { withClient, type TestStack } from '@berth/testing';
import { Berth } from '@berth/client';

const accounts = [
  { name: 'Trend EURUSD', server_name: 'Harbour-Live', login: '70012', region: 0, project: 'Own money' },
  { name: 'Grid GBPUSD', server_name: 'Harbour-Live', login: '70013', region: 0, project: 'Own money' },
  { name: 'Gold breakout', server_name: 'Harbour-Live', login: '70020', region: 3, project: 'Own money' },
  { name: 'Challenge 50k', server_name: 'Northwind-Demo', login: '91004', region: 1, project: 'Prop firm' },
  { name: 'Challenge 100k', server_name: 'Northwind-Demo', login: '91005', region: 1, project: 'Prop firm' },
  { name: 'Funded 1', server_name: 'Northwind-Live', login: '94101', region: 1, project: 'Prop firm' },
  { name: 'Copy master', server_name: 'Harbour-Live', login: '70040', region: 2, project: 'Copying' },
  { name: 'Copy follower', server_name: 'Unreachable-Live', login: '88001', region: 2, project: 'Copying' },
  { name: 'New account', server_name: 'Unknown-Live', login: '55000', region: 3, project: 'Copying' },
] as const;

const symbols = ['EURUSD', 'GBPUSD', 'XAUUSD'] as const;
/** The terminal that has a page of its own among the images. */
export const SHOWN = accounts[0].name;

/** A day of minutes that nobody has the time to wait for: a ping that wanders, memory that grows, one short loss of the link. */
const PLANT_DAY = `
  insert into terminal_minutes (terminal_id, hour_at, link, ping_ms, memory_mb, cpu_permille, disk_mb)
  select t.id, hour, array_agg((case when h = 9 and m between 12 and 26 then 0 else 100 end)::smallint order by m),
    array_agg(case when h = 9 and m between 12 and 26 then null
      else (14 + 5 * sin((m - h * 60) / 170.0) + 2 * sin((m - h * 60) / 23.0) + random() * 3)::smallint end order by m),
    array_agg((34 - h / 2.0 + 3 * sin((m - h * 60) / 90.0))::int order by m),
    array_agg((12 + random() * 20)::int order by m), array_agg(41 order by m)
  from terminals t, generate_series(1, 24) h, generate_series(1, 60) m,
    lateral (select date_trunc('hour', now()) - h * interval '1 hour' as hour) hours
  group by t.id, hour on conflict do nothing`;

const createProjects = async (berth: Berth): Promise<Map<string, string>> => {
  const names = [...new Set(accounts.map(({ project }) => project))];
  const projects = await Promise.all(names.map((name) => berth.projects.create({ name })));
  return new Map(projects.map(({ id, name }) => [name, id]));
};

const installExperts = async (berth: Berth, terminalId: string, index: number, fileId: string): Promise<void> => {
  const expert = { file_id: fileId, symbol: symbols[index % 3]!, period: 'M15', allow_algo_trading: 1 } as const;
  const inputs = { Lots: 0.1, StopLoss: 300, TakeProfit: 600, Magic: 7000 + index };
  await berth.tasks.run(terminalId, 'EA_INSTALL', { ...expert, name: 'Trend', inputs });
  if (index === 0) {
    await berth.tasks.run(terminalId, 'EA_INSTALL', {
      ...expert,
      name: 'NewsGuard',
      symbol: 'USDJPY',
      inputs: { Minutes: 30 },
    });
  }
  await berth.tasks.run(terminalId, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 1 });
};

/**
 * Creates the fleet, with experts, screenshots and a task that failed, and a day behind it.
 * @returns the ids of the terminals, by name
 */
export const createFleet = async (stack: TestStack, token: string): Promise<Map<string, string>> => {
  const berth = new Berth({ baseUrl: stack.url, token });
  const projects = await createProjects(berth);
  const { id: fileId } = await berth.files.upload('Trend.ex5', new TextEncoder().encode('an expert'));
  const fleet = new Map<string, string>();
  for (const [index, { project, ...account }] of accounts.entries()) {
    const { id } = await berth.terminals.create({
      ...account,
      password: 'trade-me',
      project_id: projects.get(project)!,
    });
    fleet.set(account.name, id);
    if (/^Un[kr]/.test(account.server_name)) continue;
    await berth.terminals.waitFor(id, 'ACTIVE');
    await installExperts(berth, id, index, fileId);
  }
  const funded = fleet.get('Funded 1')!;
  const wrong = { name: 'Trend', file_id: fileId, symbol: 'EURUSD.pro', period: 'H1' } as const;
  await berth.tasks.run(funded, 'EA_INSTALL', wrong).catch(() => undefined);
  for (const id of fleet.values()) await berth.tasks.run(id, 'SCREENSHOT', {}).catch(() => undefined);
  await withClient(stack.databaseUrl, async (client) => {
    await client.query(`update terminals set created_at = now() - interval '3 days'`);
    await client.query(PLANT_DAY);
  });
  return fleet;
};
