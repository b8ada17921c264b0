/** What each statement of moves does when it alone stands between two owners, or two hosts. */
import { randomUUID } from 'node:crypto';
import type { Look } from './single-statements.ts';

/** The owner's terminal moves from one host to the other. */
const withMove =
  (look: Look): Look =>
  async (tx, scene) => {
    const { host, otherHost, terminalId } = scene;
    await tx.plant('delete from terminal_moves', []);
    await tx.plant(
      `insert into terminal_moves (terminal_id, source_host_id, target_host_id, source_region, target_region, phase)
       values ($1, $2, $3, 0, 0, 'stopping')`,
      [terminalId, host.id, otherHost.id],
    );
    return look(tx, scene);
  };

/** The owner's terminal left a host. */
const withLeft =
  (look: Look): Look =>
  async (tx, scene) => {
    await tx.plant('delete from left_terminals', []);
    await tx.plant('insert into left_terminals (host_id, terminal_id) values ($1, $2)', [
      scene.host.id,
      scene.terminalId,
    ]);
    await look(tx, scene);
    return (await tx.plant('select from left_terminals', [])).length;
  };

const STOP = 'insert into trading_stops (user_id, run_id) values ($1, $2)';
const stopTrading: Look = ({ plant }, { stranger }) => plant(STOP, [stranger.user.id, randomUUID()]);

export const anothersMoves: Look[] = [
  async ({ run }, { stranger, terminalId }) =>
    (await run('find_terminal_to_move', [terminalId, stranger.user.id])).length,
  async (tx, scene) => {
    await stopTrading(tx, scene);
    const rows = await tx.run('find_terminal_to_move', [scene.terminalId, scene.owner.user.id]);
    return rows.map((row) => row.is_stopped_by_operator);
  },
  async ({ run, plant }, { owner, stranger, terminalId }) => {
    await plant(STOP, [owner.user.id, randomUUID()]);
    // At the moment of the stop: both are of one transaction.
    await plant('update users set suspended_at = now() where id = $1', [stranger.user.id]);
    return (await run('find_terminal_to_move', [terminalId, owner.user.id])).map((row) => row.is_stopped_by_operator);
  },
  withMove(async (tx, scene) => {
    await stopTrading(tx, scene);
    return (await tx.run('read_terminal_move', [scene.terminalId])).map((row) => row.is_firm);
  }),
  withMove(async ({ run }, { host, otherHost }) => {
    const found = (await run('list_moves_from_host', [host.id])).length;
    return [found, (await run('list_moves_from_host', [otherHost.id])).length];
  }),
  withMove(async ({ run, plant }, { host, otherHost }) => {
    await plant(`update terminal_moves set phase = 'installing'`, []);
    const found = (await run('list_moves_to_host', [host.id])).length;
    return [found, (await run('list_moves_to_host', [otherHost.id])).length];
  }),
  withLeft(({ run }, { otherHost, terminalId }) => run('forget_removed_terminals', [[otherHost.id], [terminalId]])),
  withLeft(({ run }, { otherHost }) => run('forget_left_terminals', [otherHost.id])),
];
