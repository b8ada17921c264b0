/**
 * The agent of a host is killed while the host is drained and installations are going on: what is left is shown, nothing is
 * lost, no terminal runs twice, and the drain ends once the agent is back.
 */
import { TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { waitFor } from '@berth/testing';
import { expect, it } from 'vitest';
import { useRemoteHosts } from '../e2e/remote-hosts.ts';
import { TerminalUser } from '../e2e/terminal-user.ts';

const TIMEOUT_MS = 300_000;
const ACTIVE = 3;
const INSTALLING = 6;
const { STOPPED } = TerminalStatus;

const { stack, createHost, operator } = useRemoteHosts();

/** A terminal's folder is its own: two programs in one would be two terminals of one account. */
const watchPrograms = () => {
  const twice: string[] = [];
  const look = () => {
    const folders = stack.processes('terminal').map(({ folder }) => folder);
    twice.push(...folders.filter((folder, index) => folders.indexOf(folder) !== index));
  };
  const timer = setInterval(look, 100);
  return { twice, end: () => clearInterval(timer) };
};

const moments = { 'an installation': TaskType.TERMINAL_INSTALL, 'a stop': TaskType.TERMINAL_STOP };

it.each(Object.entries(moments))(
  'an agent that is killed during %s of a drain leaves nothing behind, and the drain ends when it is back',
  async (moment, type) => {
    const name = moment.replaceAll(' ', '-');
    const { region, directory, start, join } = await createHost(name);
    const total = ACTIVE + INSTALLING;
    const agent = await join(total);
    const user = new TerminalUser(stack.url, (await stack.register(name)).token);
    const createMany = (from: number, count: number) =>
      Promise.all(
        Array.from({ length: count }, async (_, number) => {
          const account = {
            server_name: 'Harbour-Demo',
            login: `${region}00${from + number}`,
            password: 'pass-of-quay',
          };
          return (await user.createTerminal({ ...account, region })).id;
        }),
      );
    const ids = await createMany(0, ACTIVE);
    await Promise.all(ids.map((id) => user.waitForStatus(id, 'ACTIVE')));
    const programs = watchPrograms();
    ids.push(...(await createMany(ACTIVE, INSTALLING)));

    const hosts = await operator().hosts.page({ per_page: 100 });
    const hostId = hosts.data.find((host) => host.name === name)!.id;
    const listLeft = async () => {
      const { data } = await operator().hosts.page({ include: 'details', per_page: 100 });
      return data.find(({ id }) => id === hostId)?.drain?.left ?? [];
    };
    const count = async (condition: string) =>
      (await stack.query(`select from terminals where region_id = $1 and ${condition}`, [region])).length;
    /** Those that are not left are stopped there, or wait for another host. */
    const waitUntilAllShown = () =>
      waitFor(
        async () => {
          const left = await listLeft();
          const away = await count(`(status = ${STOPPED} or host_id is null)`);
          return left.reduce((sum, { terminals }) => sum + terminals, away) === total && left;
        },
        { what: 'each terminal shown as left, stopped, or waiting elsewhere' },
      );
    const { DELIVERED, RUNNING } = TaskStatus;
    const isAtIt = `select from tasks where host_id = $1 and type = ${type} and status in (${DELIVERED}, ${RUNNING})`;
    const isNow = async () => (await stack.query(isAtIt, [hostId])).length > 0;
    const listPrograms = () => stack.processes('terminal').filter(({ folder }) => folder.startsWith(directory));
    // The moment is held: an agent that is frozen ends no installation, and terminals that are frozen do not close.
    const holdInstallation = async () => {
      agent.kill('SIGSTOP');
      if (await isNow()) return true;
      agent.kill('SIGCONT');
      return false;
    };
    if (type === TaskType.TERMINAL_INSTALL) await waitFor(holdInstallation, { what: moment });
    const frozen = type === TaskType.TERMINAL_STOP ? listPrograms() : [];
    for (const { pid } of frozen) process.kill(pid, 'SIGSTOP');
    await operator().hosts.drain(hostId, { terminals: 'stop' });
    await waitFor(isNow, { what: moment });
    agent.kill('SIGKILL');
    await agent.ended;
    for (const { pid } of frozen) process.kill(pid, 'SIGCONT');
    await waitUntilAllShown();
    await stack.query(`update hosts set last_seen_at = last_seen_at - interval '20 seconds' where id = $1`, [hostId]);
    const isLost = async () => (await listLeft()).some(({ why }) => why === 'unreachable');
    await waitFor(isLost, { what: 'a lost host' });
    expect((await waitUntilAllShown()).map(({ why }) => why)).toEqual(['unreachable']);

    start();
    await waitFor(async () => (await listLeft()).length === 0, { what: 'the end', timeoutMs: TIMEOUT_MS });
    await waitUntilAllShown();
    expect(listPrograms()).toEqual([]);
    await operator().hosts.endDrain(hostId, { uncordon: true });
    const startIfStopped = async (id: string) => {
      if ((await user.getTerminal(id)).status === STOPPED) await user.run(id, 'TERMINAL_START');
      await user.waitForStatus(id, 'ACTIVE');
    };
    await Promise.all(ids.map(startIfStopped));
    programs.end();
    expect(programs.twice).toEqual([]);
    expect(listPrograms()).toHaveLength(total);
    // A stop that was interrupted is taken back with the drain, where the terminal had stopped already.
    const { COMPLETED, CANCELED } = TaskStatus;
    const isWrong = `select type, tasks.status from tasks join terminals t on t.id = terminal_id
       where t.region_id = $1 and not (tasks.status = ${COMPLETED} or type = ${TaskType.TERMINAL_STOP} and tasks.status = ${CANCELED})`;
    expect(await stack.query(isWrong, [region])).toEqual([]);
    const isTwice = `select terminal_id, type from tasks join terminals t on t.id = terminal_id
       where t.region_id = $1 group by terminal_id, type having count(*) > 1`;
    expect(await stack.query(isTwice, [region])).toEqual([]);
  },
  TIMEOUT_MS,
);
