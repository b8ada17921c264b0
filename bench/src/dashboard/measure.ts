/** What the dashboard of a large account costs: the server's answers, and what a person waits for in a browser. */
import { waitFor } from '@berth/testing/bench';
import { stopProcess, type Bench } from '../bench.ts';
import type { Figures } from '../goal.ts';
import { measureBrowser } from './browser.ts';
import { seedAccount } from './account.ts';
import { measureRequests, readLongList } from './requests.ts';

export const measureDashboard = async (
  bench: Bench,
  onPoint: (name: string, figures: Figures) => void,
): Promise<void> => {
  const database = await bench.createDatabase();
  const account = await seedAccount(database);
  const server = await bench.startServer(database);
  await waitFor(
    async () => {
      await readLongList(server.url, account);
      const text = `select count(*) > 1 and count(*) filter (where counts is null) <= 1 as is_counted from task_segments`;
      return (await bench.query(database, text))[0]?.is_counted === true;
    },
    { what: 'segments of the list of tasks', timeoutMs: 600_000 },
  );
  await measureRequests(server.url, account, onPoint);
  await measureBrowser(server.url, account, onPoint);
  await stopProcess(server.process);
};
