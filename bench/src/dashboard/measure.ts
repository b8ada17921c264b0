/** What the dashboard of a large account costs: the server's answers, and what a person waits for in a browser. */
import { stopProcess, type Bench } from '../bench.ts';
import type { Figures } from '../goal.ts';
import { measureBrowser } from './browser.ts';
import { seedAccount } from './account.ts';
import { measureRequests } from './requests.ts';

export const measureDashboard = async (
  bench: Bench,
  onPoint: (name: string, figures: Figures) => void,
): Promise<void> => {
  const database = await bench.createDatabase();
  const account = await seedAccount(database);
  const server = await bench.startServer(database);
  await measureRequests(server.url, account, onPoint);
  await measureBrowser(server.url, account, onPoint);
  await stopProcess(server.process);
};
