/** What the statements of drains and samples do for one host while another one has the same. */
import { TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import type { Look, Transaction } from './single-statements.ts';
import type { Scene } from './borders.ts';

const plantTask = async ({ plant }: Transaction, { owner, terminalId }: Scene, hostId: string, type: TaskType) => {
  const [task] = await plant(
    `insert into tasks (id, user_id, host_id, terminal_id, type, status) values (gen_random_uuid(), $1, $2, $3, $4, ${TaskStatus.PENDING})
     returning id`,
    [owner.user.id, hostId, terminalId, type],
  );
  return task!.id as string;
};

/** A terminal whose installation waits on a host. */
const plantInstallation = async (tx: Transaction, scene: Scene, hostId: string) => {
  await tx.plant(`update terminals set host_id = $2, status = ${TerminalStatus.PENDING} where id = $1`, [
    scene.terminalId,
    scene.host.id,
  ]);
  await plantTask(tx, scene, hostId, TaskType.TERMINAL_INSTALL);
};
const isTakenBack = async ({ run, plant }: Transaction, { terminalId }: Scene, hostId: string) => {
  await run('take_back_installations', [hostId, 'It waits.']);
  return plant('select host_id is null as is_taken_back from terminals where id = $1', [terminalId]);
};

/** Of each host, a minute that is so many hours old. */
const plantMinutes = ({ plant }: Transaction, { host, otherHost }: Scene, hours: number) =>
  plant(
    `insert into host_minutes (host_id, hour_at, load_percent, memory_mb, disk_mb)
     select id, date_bin('1 hour', now() - $2 * interval '1 hour', timestamptz 'epoch'), '{1}', '{2}', '{3}'
     from unnest($1::uuid[]) as h (id)`,
    [[host.id, otherHost.id], hours],
  );

const readAll =
  (step: string): Look =>
  async (tx, scene) => {
    await plantMinutes(tx, scene, 2);
    await tx.plant(
      `insert into host_quarters (host_id, day_at, load_percent, memory_mb, disk_mb)
     select id, date_bin('1 day', now() - interval '2 days', timestamptz 'epoch'), '{1}', '{2}', '{3}'
     from unnest($1::uuid[]) as h (id)`,
      [[scene.host.id, scene.otherHost.id]],
    );
    const times = [new Date(0).toISOString(), new Date(Date.now() + 60_000).toISOString()];
    const [answer] = await tx.run(`read_host_${step}`, [scene.host.id, ...times]);
    return (answer?.rows as unknown[]).length;
  };

export const anotherHosts: Look[] = [
  async ({ run, plant }, { host, otherHost, terminalId }) => {
    await plant('update terminals set host_id = $2, drain_task_id = gen_random_uuid() where id = $1', [
      terminalId,
      host.id,
    ]);
    await run('begin_drain', [otherHost.id, 'stop', null]);
    return plant('select drain_task_id is not null as is_kept from terminals where id = $1', [terminalId]);
  },
  async (tx, scene) => {
    await plantTask(tx, scene, scene.host.id, TaskType.TERMINAL_START);
    const canceled = await tx.run('cancel_starts_on_drained_host', ['{}', scene.otherHost.id]);
    return canceled.filter((row) => row.terminal_id === scene.terminalId).length;
  },
  async (tx, scene) => {
    const id = await plantTask(tx, scene, scene.host.id, TaskType.TERMINAL_STOP);
    await tx.plant('update terminals set drain_task_id = $2 where id = $1', [scene.terminalId, id]);
    return (await tx.run('cancel_stops_of_drain', ['{}', scene.otherHost.id])).length;
  },
  // A terminal and its installation are on different hosts: neither host gives it up.
  async (tx, scene) => {
    await plantInstallation(tx, scene, scene.otherHost.id);
    return isTakenBack(tx, scene, scene.host.id);
  },
  async (tx, scene) => {
    await plantInstallation(tx, scene, scene.otherHost.id);
    return isTakenBack(tx, scene, scene.otherHost.id);
  },
  // A task that strayed to another host stays there.
  async (tx, scene) => {
    await plantInstallation(tx, scene, scene.host.id);
    const id = await plantTask(tx, scene, scene.otherHost.id, TaskType.EA_LOGS);
    await isTakenBack(tx, scene, scene.host.id);
    return tx.plant('select host_id is null as is_taken_back from tasks where id = $1', [id]);
  },
  readAll('minutes'),
  readAll('quarters'),
  async (tx, scene) => {
    await plantMinutes(tx, scene, 30);
    await tx.run('age_host_samples', [100]);
    return tx.plant('select array_length(memory_mb, 1) as slots from host_quarters where host_id = $1', [
      scene.host.id,
    ]);
  },
];
