/** What each statement of snapshots does when it alone stands between two owners, or before trading that comes back. */
import { randomUUID } from 'node:crypto';
import { TaskStatus, TaskType } from '@berth/contract';
import type { Look } from './single-statements.ts';

const CONTENT = JSON.stringify({ experts: [], is_complete: true });

/** A snapshot of the owner's terminal. */
const withSnapshot =
  (look: (...input: [...Parameters<Look>, snapshotId: string]) => Promise<unknown>): Look =>
  async (tx, scene) => {
    const id = randomUUID();
    await tx.plant('delete from terminal_snapshots', []);
    await tx.plant(
      `insert into terminal_snapshots (id, user_id, terminal_id, cause, content) values ($1, $2, $3, 'manual', $4)`,
      [id, scene.owner.user.id, scene.terminalId, CONTENT],
    );
    return look(tx, scene, id);
  };

/** A restoration with nothing left to do: whether trading comes back. @param between what happened since it began */
const withRestoration =
  (between: (...input: Parameters<Look>) => Promise<unknown>): Look =>
  async (tx, scene) => {
    const { terminalId } = scene;
    await tx.plant('delete from terminal_restorations', []);
    await tx.plant(`insert into terminal_restorations (terminal_id, task_ids) values ($1, '{}')`, [terminalId]);
    await between(tx, scene);
    const id = randomUUID();
    await tx.run('resume_trading', [[terminalId], [id]]);
    return (await tx.plant('select from tasks where id = $1', [id])).length;
  };

const plantTask =
  (type: TaskType): Look =>
  ({ plant }, { owner, terminalId }) =>
    plant(
      `insert into tasks (id, user_id, terminal_id, type, created_at) values ($1, $2, $3, $4, now() + interval '1 second')`,
      [randomUUID(), owner.user.id, terminalId, type],
    );

export const anothersSnapshots: Look[] = [
  withSnapshot(
    async ({ run }, { stranger, terminalId }) => (await run('list_snapshots', [stranger.user.id, terminalId])).length,
  ),
  // The snapshot is the stranger's own, the terminal is not.
  withSnapshot(async ({ run, plant }, { stranger, terminalId }, id) => {
    await plant('update terminal_snapshots set user_id = $2 where id = $1', [id, stranger.user.id]);
    const listed = (await run('list_snapshots', [stranger.user.id, terminalId])).length;
    return [listed, (await run('delete_snapshot', [id, terminalId, stranger.user.id])).length];
  }),
  withSnapshot(async ({ run, plant }, { owner, terminalId }, id) => {
    await plant('update terminals set deleted_at = now() where id = $1', [terminalId]);
    const listed = (await run('list_snapshots', [owner.user.id, terminalId])).length;
    return [listed, (await run('delete_snapshot', [id, terminalId, owner.user.id])).length];
  }),
  withSnapshot(({ run }, { stranger, terminalId }) => run('count_snapshots', [terminalId, stranger.user.id, 'manual'])),
  withSnapshot(
    async ({ run }, { stranger, terminalId }, id) =>
      (await run('delete_snapshot', [id, terminalId, stranger.user.id])).length,
  ),
  withSnapshot(
    async ({ run }, { stranger }, id) => (await run('find_snapshot_content', [id, stranger.user.id])).length,
  ),
  async ({ run }, { stranger, terminalId }) =>
    (await run('insert_snapshot', [randomUUID(), terminalId, stranger.user.id, 'manual', CONTENT])).length,
  async ({ run, plant }, { owner, stranger, fileId, expiredFileId }) => {
    await plant(`update files set sha256 = 'same' where id in ($1, $2)`, [fileId, expiredFileId]);
    const find = async (userId: string) => (await run('list_files_by_hash', [[userId], ['same']])).length;
    return [await find(owner.user.id), await find(stranger.user.id)];
  },
  // A file of somebody else in the payload says nothing.
  async ({ run, plant }, { stranger, owner, terminalId, fileId }) => {
    await plant('update files set user_id = $2 where id = $1', [fileId, stranger.user.id]);
    await plant(
      `insert into tasks (id, user_id, terminal_id, type, status, finished_at, payload)
       values ($1, $2, $3, ${TaskType.EA_INSTALL}, ${TaskStatus.COMPLETED}, now(), jsonb_build_object('file_id', $4::text))`,
      [randomUUID(), owner.user.id, terminalId, fileId],
    );
    return (await run('list_former_setup_tasks', [[terminalId], []])).map(({ file }) => file);
  },
  withRestoration(() => Promise.resolve()),
  withRestoration(plantTask(TaskType.OPTIONS_AUTO_TRADE)),
  withRestoration(plantTask(TaskType.TERMINAL_STOP)),
  withRestoration(({ plant }, { terminalId }) =>
    plant('update terminals set deleted_at = now() where id = $1', [terminalId]),
  ),
  withRestoration(({ plant }, { terminalId }) =>
    plant(`update terminals set locked_reason = 'A rule.' where id = $1`, [terminalId]),
  ),
  withRestoration(({ plant }, { owner }) => plant('update users set status = 1 where id = $1', [owner.user.id])),
  withRestoration(({ plant }, { owner }) =>
    plant('insert into trading_stops (user_id, run_id) values ($1, $2)', [owner.user.id, randomUUID()]),
  ),
  withRestoration(({ plant }, { stranger }) =>
    plant('insert into trading_stops (user_id, run_id) values ($1, $2)', [stranger.user.id, randomUUID()]),
  ),
  withRestoration(({ plant }, { terminalId }) =>
    plant('update terminal_restorations set task_ids = $2 where terminal_id = $1', [terminalId, [randomUUID()]]),
  ),
];
