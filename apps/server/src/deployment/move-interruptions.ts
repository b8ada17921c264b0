/** What ends a move from outside: its terminal is deleted, or one of its two hosts is retired. */
import { HostStatus, TerminalStatus } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { sql, type Queryable, type Transaction } from '../db/database.ts';
import type { TaskEnds } from '../tasks/ends.ts';
import { endMove, lockMove, MOVING_REASON, noteLeft, settle, type MoveRow } from '../terminals/moves.ts';
import type { LockedOwnTerminal } from '../terminals/queries.ts';
import { endTasksOfMove } from './moves.ts';

const sourceStatement = sql('find_source_of_move', `select status from hosts where id = $1`);

/**
 * Ends the move of a terminal that is being deleted, whose row is locked. Where no host has it, the source gets it back, to
 * destroy it; where the target has it, the source is to remove what it has.
 * @returns the host that destroys it
 */
export const endMoveOf = async (tx: Queryable, terminal: LockedOwnTerminal): Promise<string | null> => {
  const { id, host_id: hostId } = terminal;
  const move = await lockMove(tx, id);
  if (!move) return hostId;
  const { source_host_id: source, target_host_id: target, source_region: region } = move;
  if (hostId === target) {
    await noteLeft(tx, source, id);
    await endMove(tx, id, source);
    return target;
  }
  await endMove(tx, id, target);
  if (hostId === source) return source;
  const [host] = await tx.query<{ status: HostStatus }>(sourceStatement, [source]);
  if (host?.status === HostStatus.RETIRED) return null;
  await settle(tx, id, { hostId: source, region, status: TerminalStatus.PENDING, reason: null });
  return source;
};

const ofSourceStatement = sql(
  'list_moves_from_host',
  `select terminal_id, target_host_id, proof_task_id from terminal_moves where source_host_id = $1 and phase = 'stopping'`,
);
const forgetLeftStatement = sql('forget_left_terminals', `delete from left_terminals where host_id = $1`);

/**
 * Before the terminals of a retired host lose it: those that it was to stop are made anew like all others, and what is not
 * done there any more is not done elsewhere.
 */
export const endMovesFrom = async (
  tx: Transaction,
  parts: { ends: TaskEnds; clock: Clock },
  hostId: string,
): Promise<void> => {
  const moves = await tx.query<Pick<MoveRow, 'terminal_id' | 'target_host_id' | 'proof_task_id'>>(ofSourceStatement, [
    hostId,
  ]);
  await endTasksOfMove(
    tx,
    parts,
    moves.flatMap(({ proof_task_id: id }) => id ?? []),
  );
  for (const move of moves) await endMove(tx, move.terminal_id, move.target_host_id);
  await tx.query(forgetLeftStatement, [hostId]);
};

const toTargetStatement = sql(
  'list_moves_to_host',
  `select terminal_id, task_ids, proof_task_id from terminal_moves
   where target_host_id = $1 and phase in ('installing', 'undoing')`,
);
const returnStatement = sql(
  'return_from_retired_host',
  `with returned as (
     update terminal_moves set phase = 'returning', proof_task_id = null, phase_since = now(),
       reason = coalesce(reason, 'The other host was retired.')
     where terminal_id = any($1::uuid[]) returning terminal_id
   )
   update terminals t set waiting_since = null, status_reason = $2 from returned r where t.id = r.terminal_id`,
);

/** Moves to a host that is being retired; what is not done there any more is not done elsewhere. @returns their terminals */
export const endTasksOfMovesTo = async (
  tx: Transaction,
  parts: { ends: TaskEnds; clock: Clock },
  hostId: string,
): Promise<string[]> => {
  const moves = await tx.query<Pick<MoveRow, 'terminal_id' | 'task_ids' | 'proof_task_id'>>(toTargetStatement, [
    hostId,
  ]);
  const ids = moves.flatMap(({ task_ids: taskIds, proof_task_id: proof }) => [...taskIds, ...(proof ? [proof] : [])]);
  await endTasksOfMove(tx, parts, ids);
  return moves.map(({ terminal_id: id }) => id);
};

/** After they lost it: they go back to where they were. That the host is dead is the operator's word, as for all others. */
export const returnFromRetired = async (tx: Queryable, terminalIds: readonly string[]): Promise<void> => {
  if (terminalIds.length > 0) await tx.query(returnStatement, [terminalIds, MOVING_REASON]);
};
