/**
 * The rows of moves of terminals (`deployment/moves.ts`), and of what they left on hosts. Whoever changes a move holds the
 * row of its terminal.
 */
import type { MoveState, TerminalMove, TerminalStatus } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { noteTransitions, type TerminalTransition } from './changes.ts';
import { leaveStatement, settleStatement } from './transitions.ts';

/** The steps of a move, in their order; the last two only where it failed. */
export type MovePhase = 'stopping' | 'stopped' | 'installing' | 'undoing' | 'returning';

export interface MoveRow {
  terminal_id: string;
  source_host_id: string;
  target_host_id: string;
  source_region: number;
  target_region: number;
  phase: MovePhase;
  proof_task_id: string | null;
  task_ids: string[];
  reason: string | null;
  created_at: string;
}

const states: Record<MovePhase, MoveState> = {
  stopping: 'stopping',
  stopped: 'installing',
  installing: 'installing',
  undoing: 'returning',
  returning: 'returning',
};

/** As its owner sees it. */
export const toShownMove = ({
  phase,
  target_region: region,
  created_at,
  reason,
}: Pick<MoveRow, 'phase' | 'target_region' | 'created_at' | 'reason'>): TerminalMove => {
  return { state: states[phase], region, started_at: created_at, reason };
};

const columns = `terminal_id, source_host_id, target_host_id, source_region, target_region, phase, proof_task_id, task_ids,
  reason, created_at`;

const lockStatement = sql(
  'lock_terminal_move',
  `select ${columns} from terminal_moves where terminal_id = $1 for update`,
);

/** Lock the terminal before. */
export const lockMove = async (tx: Queryable, terminalId: string): Promise<MoveRow | undefined> =>
  (await tx.query<MoveRow>(lockStatement, [terminalId]))[0];

const listStatement = sql(
  'list_moving_terminals',
  `select terminal_id from terminal_moves where terminal_id = any($1::uuid[])`,
);

/** Those of the terminals that are being moved. */
export const listMoving = async (tx: Queryable, terminalIds: readonly string[]): Promise<Set<string>> =>
  new Set((await tx.query<{ terminal_id: string }>(listStatement, [terminalIds])).map((row) => row.terminal_id));

const insertStatement = sql(
  'insert_terminal_move',
  `insert into terminal_moves (terminal_id, source_host_id, target_host_id, source_region, target_region, phase, proof_task_id)
   select t.id, t.host_id, $2, t.region_id, $3, 'stopping', $4 from terminals t where t.id = $1
   returning ${columns}`,
);

export const insertMove = async (
  tx: Queryable,
  move: { terminalId: string; hostId: string; region: number; proofTaskId: string },
): Promise<MoveRow> => {
  const values = [move.terminalId, move.hostId, move.region, move.proofTaskId];
  const [row] = await tx.query<MoveRow>(insertStatement, values);
  if (!row) throw new Error('insert_terminal_move returned no row');
  return row;
};

const writeStatement = sql(
  'write_terminal_move',
  `update terminal_moves set phase = $2, proof_task_id = $3, task_ids = $4::uuid[], reason = $5,
     phase_since = case when phase = $2 then phase_since else now() end
   where terminal_id = $1`,
);

export const writeMove = async (tx: Queryable, move: MoveRow, changes: Partial<MoveRow>): Promise<void> => {
  const { terminal_id: id, phase, proof_task_id: proof, task_ids: taskIds, reason } = { ...move, ...changes };
  await tx.query(writeStatement, [id, phase, proof, taskIds, reason]);
};

/** The place that the terminal has on the other host is free, if that is not retired. */
const endStatement = sql(
  'end_terminal_move',
  `with ended as (
     delete from terminal_moves where terminal_id = $1
   )
   update hosts set terminal_count = greatest(0, terminal_count - 1), updated_at = now() where id = $2`,
);

/** @param hostId the one of the two that does not keep the terminal */
export const endMove = async (tx: Queryable, terminalId: string, hostId: string): Promise<void> => {
  await tx.query(endStatement, [terminalId, hostId]);
};

const noteLeftStatement = sql(
  'note_left_terminal',
  `insert into left_terminals (host_id, terminal_id) select id, $2 from hosts where id = $1 and credential_hash is not null
   on conflict do nothing`,
);

/** The host has files of the terminal that it is to remove. One that was retired never hears of it. */
export const noteLeft = async (tx: Queryable, hostId: string, terminalId: string): Promise<void> => {
  await tx.query(noteLeftStatement, [hostId, terminalId]);
};

export const MOVING_REASON = 'The terminal is moving to another host.';

/** @param taskIds tasks that succeeded; their terminals are locked, and written already */
export const leaveHosts = async (tx: Queryable, taskIds: readonly string[]): Promise<void> => {
  if (taskIds.length === 0) return;
  await noteTransitions(tx, await tx.query<TerminalTransition>(leaveStatement, [taskIds, MOVING_REASON]));
};

/** Gives the terminal to a host, with what waits for it; null: to whichever has a free place. */
export const settle = async (
  tx: Queryable,
  terminalId: string,
  place: { hostId: string | null; region: number; status: TerminalStatus; reason: string | null },
): Promise<void> => {
  const values = [terminalId, place.hostId, place.region, place.status, place.reason];
  await noteTransitions(tx, await tx.query<TerminalTransition>(settleStatement, values));
};

const followStatement = sql(
  'follow_moved_terminal',
  `update tasks o set host_id = t.host_id from terminals t
   where t.id = $1 and o.terminal_id = t.id and o.finished_at is null and o.host_id is distinct from t.host_id`,
);

/** Tasks that were created while the terminal changed its host. */
export const follow = async (tx: Queryable, terminalId: string): Promise<void> => {
  await tx.query(followStatement, [terminalId]);
};

const listLeftStatement = sql('list_left_hosts', `select host_id from left_terminals where terminal_id = $1`);

/** Hosts that still have files of the terminal, which left them. */
export const listLeftHosts = async (tx: Queryable, terminalId: string): Promise<Set<string>> =>
  new Set((await tx.query<{ host_id: string }>(listLeftStatement, [terminalId])).map((row) => row.host_id));
