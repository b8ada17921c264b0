/** From the processes of a terminal to the curve of its owner: measured by a real agent, kept and read by a real server. */
import { useTestStack, waitFor, withClient } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { endMinute } from './minutes.ts';
import { TerminalUser } from './terminal-user.ts';

const TIMEOUT_MS = 600_000;

// Hosts measure every 15 s, and here every 3.
const stack = useTestStack({ environment: { BERTH_TIME_PERCENT: '50' } });
let user: TerminalUser;
beforeAll(async () => {
  user = new TerminalUser(stack.url, (await stack.register('Owner')).token);
});

it(
  'a terminal that runs has rows of what it takes, and is up from the first of them on',
  async () => {
    const order = { server_name: 'Harbour-Demo', login: '5001', password: 'trade-me', region: 0 };
    const { id } = await user.createTerminal(order);
    await user.waitForStatus(id, 'ACTIVE');
    const load = await waitFor(
      () =>
        withClient(stack.databaseUrl, async (client) => {
          const text = 'select * from terminal_loads where terminal_id = $1 and cpu_permille is not null and link = 1';
          return (await client.query<{ disk_mb: number | null }>(text, [id])).rows[0];
        }),
      { what: 'a second sample of the terminal', timeoutMs: 120_000 },
    );
    expect(load).toMatchObject({ link: 1 });
    await endMinute(stack, id);
    const samples = await user.berth.terminals.samples(id);
    const [at, , link, memoryMb, cpuPercent] = samples.rows.at(-1)!;
    expect(Math.abs(Date.now() / 1000 - at!)).toBeLessThan(600);
    expect([link! > 0, memoryMb! > 5 && memoryMb! < 500, cpuPercent! >= 0]).toEqual([true, true, true]);
  },
  TIMEOUT_MS,
);
