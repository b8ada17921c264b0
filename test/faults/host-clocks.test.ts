/** Hosts in other time zones than the server, and with clocks that are hours off: the work is done, and times say whose they are. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  endProcesses,
  logInOperator,
  startTestAgent,
  startTestStack,
  startTestTradingServer,
  withClient,
  type TestStack,
} from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TerminalUser, type EndedTask } from '../e2e/terminal-user.ts';

const TIMEOUT_MS = 600_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** What may lie between a line and our look at it. */
const MARGIN_MS = 120_000;
const clock = pathToFileURL(join(import.meta.dirname, 'skewed-clock.mjs')).href;

interface Host {
  region: number;
  /** As the agent's environment says it. */
  tz: string;
  /** The name of the same zone. */
  zone: string;
  hoursAhead: number;
}

const hosts: readonly Host[] = [
  { region: 0, tz: 'Asia/Kathmandu', zone: 'Asia/Kathmandu', hoursAhead: 0 },
  { region: 1, tz: 'Pacific/Kiritimati', zone: 'Pacific/Kiritimati', hoursAhead: 3 },
  { region: 2, tz: 'UTC+9', zone: 'Etc/GMT+9', hoursAhead: -3 },
];

let stack: TestStack;
let user: TerminalUser;

const toClockFile = ({ region }: Host): string => join(stack.dataDir, `clock-${region}`);

beforeAll(async () => {
  stack = await startTestStack({
    hasLocalHosts: false,
    environment: { BERTH_DEFAULT_PLATFORM: 'sandbox', TZ: 'UTC' },
  });
  const folder = join(stack.dataDir, 'broker');
  mkdirSync(folder);
  const networkFile = join(folder, 'network');
  startTestTradingServer(folder, networkFile);
  const { berth } = await logInOperator(stack);
  for (const host of hosts) {
    const { region, tz, hoursAhead } = host;
    writeFileSync(toClockFile(host), String(hoursAhead * HOUR_MS));
    startTestAgent({
      serverUrl: stack.url,
      directory: join(stack.dataDir, 'agents', String(region)),
      networkFile,
      joinToken: (await berth.operator.joinTokens.create({ region, name: `host-${region}` })).join_token,
      environment: { TZ: tz, CLOCK_FILE: toClockFile(host), NODE_OPTIONS: `--import=${clock}` },
    });
  }
  await stack.waitForHosts(hosts.length);
  user = new TerminalUser(stack.url, (await stack.register('Clocks')).token);
}, TIMEOUT_MS);

afterAll(async () => {
  await endProcesses();
  await stack?.killTerminals();
  await stack?.close();
}, TIMEOUT_MS);

/** YYYY-MM-DD of the host's day. */
const toDay = ({ zone }: Host, timeMs: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(timeMs);

/** Milliseconds since the host's midnight. */
const toTimeOfDayMs = ({ zone }: Host, timeMs: number): number => {
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, timeStyle: 'medium' }).format(timeMs);
  return readTimeMs(text);
};

const readTimeMs = (text: string): number => Date.parse(`1970-01-01T${text}Z`);

/** How far two times of a day are from each other, over midnight too. */
const toDistanceMs = (first: number, second: number): number => {
  const apart = Math.abs(first - second) % DAY_MS;
  return Math.min(apart, DAY_MS - apart);
};

const readLog = async (id: string, payload: object): Promise<string[]> =>
  (await user.run(id, 'EA_LOGS', { lines: 500, ...payload })).data.lines as string[];

/** The row as the database has it: its times are the database's own. */
const isTimely = async ({ id }: EndedTask): Promise<unknown> => {
  const text = `select created_at > now() - interval '10 minutes' and created_at <= delivered_at
    and delivered_at <= finished_at and finished_at <= now() as is_timely from tasks where id = $1`;
  const [row] = await withClient(stack.databaseUrl, async (db) => (await db.query(text, [id])).rows);
  return (row as { is_timely: boolean }).is_timely;
};

describe.each(hosts)('a host with TZ=$tz whose clock is $hoursAhead h ahead', (host) => {
  it(
    'a host with a wrong clock runs tasks that wait for journals, and dates their lines by its own day',
    { timeout: TIMEOUT_MS },
    async () => {
      const login = String(7400 + host.region);
      const { id } = await user.createTerminal({
        server_name: 'Harbour-Demo',
        login,
        password: 'a-password',
        region: host.region,
      });
      await user.waitForStatus(id, 'ACTIVE');
      const file = await user.upload('Tide.ex5', Buffer.from('tide'));
      // Then with a clock that has just been set back, and forward.
      for (const [turn, shiftMs] of [0, -2 * HOUR_MS, 2 * HOUR_MS].entries()) {
        const offsetMs = host.hoursAhead * HOUR_MS + shiftMs;
        const begunMs = Date.now() + offsetMs;
        writeFileSync(toClockFile(host), String(offsetMs));
        const tasks = [
          await user.run(id, 'ACCOUNT_LOGIN', { login, server_name: 'Harbour-Demo', password: 'a-password' }),
          await user.run(id, 'EA_INSTALL', { name: `Tide${turn}`, file_id: file.id, symbol: 'EURUSD', period: 'H1' }),
          await user.run(id, 'SCREENSHOT', { width: 1000, height: 700 }),
        ];
        for (const task of tasks) {
          expect(task.attempts).toBe(1);
          expect(await isTimely(task)).toBe(true);
          const { at } = task.result.runner_result.at(-1)!;
          expect(Math.abs(Date.parse(at) - offsetMs - Date.now())).toBeLessThan(MARGIN_MS);
        }
        const hostMs = Date.now() + offsetMs;
        const lines = await readLog(id, { source: 'journal' });
        const loaded = lines.findLast((line) => line.includes(`Tide${turn}`))!;
        const [time = ''] = loaded.split('\t');
        expect(toDistanceMs(readTimeMs(time), toTimeOfDayMs(host, hostMs))).toBeLessThan(MARGIN_MS);
        // Over the host's midnight they are two.
        const days = [...new Set([begunMs, hostMs].map((ms) => toDay(host, ms)))];
        const readDays = async (source: string): Promise<string[]> =>
          (await Promise.all(days.map((date) => readLog(id, { source, date })))).flat();
        expect(await readDays('journal')).toEqual(expect.arrayContaining([loaded]));
        const other = await readLog(id, { source: 'journal', date: toDay(host, hostMs + 2 * DAY_MS) });
        expect(other).toEqual([]);
        const printed = await readDays('experts');
        expect(printed.join('\n')).toContain(`Tide${turn}`);
      }
      expect((await user.getTerminal(id)).status_name).toBe('ACTIVE');
    },
  );
});
