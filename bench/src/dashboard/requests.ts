/** What the dashboard asks the server for, one request after the other. */
import type { Figures } from '../goal.ts';
import { toQuantile } from '../statistics.ts';
import { Wire } from '../wire.ts';
import { TASKS, TERMINALS, type Account } from './account.ts';

const WARM_UP = 3;
const REQUESTS = 40;
const PER_PAGE = 50;
const LIST = '/v1/my/trading/terminals';
const DAY_MS = 24 * 60 * 60_000;

const toPaths = ({ terminals }: Account, projectId: string): Record<string, string> => {
  const details = `${LIST}?include=details&per_page=${PER_PAGE}`;
  const tasks = `/v1/my/tasks?include=terminal&per_page=${PER_PAGE}`;
  const ids = terminals.slice(0, PER_PAGE).map(({ id }) => id);
  const [first] = ids;
  const now = Date.now();
  const toRange = (days: number) =>
    `from=${new Date(now - days * DAY_MS).toISOString()}&to=${new Date(now).toISOString()}`;
  return {
    'terminals, first page of 50 with details': details,
    'terminals, last page of 50 with details': `${details}&page=${TERMINALS / PER_PAGE}`,
    'terminals by status': `${details}&sort_by=status&sort_direction=asc`,
    'terminals, searched': `${details}&search=terminal%2042`,
    'terminals, counted by status': `${LIST}/counts`,
    'overview of a page of terminals': `${LIST}/overview?ids=${ids.join(',')}`,
    'thumbnail of a terminal': `${LIST}/${first}/screenshot`,
    'samples of a day, by the minute': `${LIST}/${first}/samples?${toRange(1)}&step=1`,
    'samples of 30 days, by the quarter of an hour': `${LIST}/${first}/samples?${toRange(30)}&step=15`,
    'tasks, first page': tasks,
    'tasks that failed': `${tasks}&status=5`,
    'tasks that are open': `${tasks}&status=0,1,2,3`,
    'tasks of two types': `${tasks}&type=2,9`,
    'tasks of one terminal': `${tasks}&terminal_id=${first}`,
    'tasks of a project': `${tasks}&project_id=${projectId}`,
    'tasks of a project, a page in the middle': `${tasks}&project_id=${projectId}&page=${TASKS / PER_PAGE / 2}`,
    'tasks of two types, a page in the middle': `${tasks}&type=2,9&page=${(TASKS / PER_PAGE) * 0.1}`,
    'tasks, a page in the middle': `${tasks}&page=${TASKS / PER_PAGE / 2}`,
    'tasks, the last page': `${tasks}&page=${TASKS / PER_PAGE}`,
    'tasks that failed, the last page': `${tasks}&status=5&page=${(TASKS / PER_PAGE) * 0.04}`,
  };
};

const ask = async (wire: Wire, path: string): Promise<{ ms: number; bytes: number }> => {
  const from = performance.now();
  const { status, body } = await wire.request('GET', path);
  const ms = performance.now() - from;
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${body.slice(0, 200)}`);
  return { ms, bytes: Buffer.byteLength(body) };
};

/** @returns every terminal of the account was read, by pages of a hundred */
const readAll = async (wire: Wire): Promise<number> => {
  const from = performance.now();
  for (let page = 1; page <= TERMINALS / 100; page += 1)
    await ask(wire, `${LIST}?include=details&per_page=100&page=${page}`);
  return performance.now() - from;
};

/** Behind its first reader, a list that became long at once is divided into segments. */
export const readLongList = async (url: string, { token }: Account): Promise<void> => {
  const wire = new Wire(url, token);
  const { ms } = await ask(wire, '/v1/my/tasks').finally(() => wire.close());
  process.stderr.write(`the first page before the list was counted: ${Math.round(ms)} ms\n`);
};

export const measureRequests = async (
  url: string,
  account: Account,
  onPoint: (name: string, figures: Figures) => void,
): Promise<void> => {
  const wire = new Wire(url, account.token);
  try {
    const { body } = await wire.request('GET', '/v1/my/projects');
    const [project] = (JSON.parse(body) as { data: { id: string }[] }).data;
    for (const [name, path] of Object.entries(toPaths(account, project?.id ?? ''))) {
      for (let count = 0; count < WARM_UP; count += 1) await ask(wire, path);
      const asked = [];
      for (let count = 0; count < REQUESTS; count += 1) asked.push(await ask(wire, path));
      const took = asked.map(({ ms }) => ms);
      onPoint(name, {
        'p50 ms': toQuantile(took, 0.5),
        'p95 ms': toQuantile(took, 0.95),
        kB: (asked[0]?.bytes ?? 0) / 1000,
      });
    }
    const all = [await readAll(wire), await readAll(wire), await readAll(wire)];
    onPoint(`all ${TERMINALS.toLocaleString('en')} terminals with details, by pages of 100`, {
      'p50 ms': toQuantile(all, 0.5),
      'p95 ms': toQuantile(all, 0.95),
    });
  } finally {
    wire.close();
  }
};
