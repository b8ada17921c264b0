/**
 * Moves of terminals to other hosts. One terminal has one row of `terminals`, one lease, and the host that this row names:
 * only that host gets tasks for it. What a host has of it and is not named, is stopped and stays so.
 *
 *   stopping ──its stop succeeded──▶ stopped ──▶ installing ──all is done, it is logged in──▶ (end: on the target)
 *      │ the stop failed                │ the target takes none,     │ something failed, or took an hour
 *      ▼                                │ or it was stopped, locked  ▼
 *   (end: on the source)                │                         undoing ──destroyed on the target──┐
 *            ▲                          ▼                                                            │
 *            └──────────────────── returning ◀───────────────────────────────────────────────────────┘
 *
 * - Two never run: the host is taken from the terminal only in the transaction that ends a stop (on the source) or a
 *   destruction (on the target) that succeeded, as that host reported under its lease (`leaveHosts`). No time replaces
 *   that; while a host is out of reach, the move waits for it.
 * - One is always kept: the source has its files until the terminal is logged in on the target. Only then is it noted
 *   that the source may remove them (`left_terminals`). It keeps its slot until then.
 * - Each step is a transaction that holds the row of the terminal, and depends on nothing but the database.
 */
import {
  HostStatus,
  isFinalTaskStatus,
  MAX_MOVE_MINUTES,
  ResultStatus,
  TaskStatus,
  TaskType,
  TerminalStatus,
  toPlainSentence,
  toServiceResult,
} from '@berth/contract';
import type { Clock, Logger } from '@berth/kit';
import { isUpFor } from '../db/clock.ts';
import { DatabaseUnavailableError, sql, type Queryable, type Store, type Transaction } from '../db/database.ts';
import { LOWEST_ID } from '../db/ids.ts';
import type { HostWakeups } from '../hosts/wakeups.ts';
import { createServiceTask, type TaskCreationParts } from '../tasks/create-task.ts';
import type { TaskEnds } from '../tasks/ends.ts';
import { isFirm } from '../tasks/held-back.ts';
import { endTasks } from '../tasks/outcomes.ts';
import {
  endMove,
  follow,
  lockMove,
  MOVING_REASON,
  noteLeft,
  settle,
  writeMove,
  type MoveRow,
} from '../terminals/moves.ts';
import { insertFirst, reinstallWithin } from './restoration.ts';

const MAX_REASON = 300;

/** What a step is decided by. */
export interface MoveFacts extends MoveRow {
  user_id: string;
  status: TerminalStatus;
  source_status: HostStatus;
  target_status: HostStatus;
  /** It is online, and not cordoned. */
  is_target_ready: boolean;
  proof_status: TaskStatus | null;
  /** A host had it. */
  has_proof_begun: boolean;
  /** Of the tasks on the target. */
  done: number;
  failed: number;
  failed_message: string | null;
  is_late: boolean;
  /** Since the move began it was to stop, was locked, or its user was suspended. */
  is_held: boolean;
  /** Since then something was to end trading. */
  is_firm: boolean;
}

export type MoveAction = 'give up' | 'place' | 'turn back' | 'finish' | 'undo' | 'destroy' | 'return';

/** What is to be done next; undefined: hosts are at it. Pure. */
export const decideMove = (state: MoveFacts): MoveAction | undefined => {
  const { phase, proof_status: proof, task_ids: ids, done, failed } = state;
  const hasProofEnded = proof === null || isFinalTaskStatus(proof);
  switch (phase) {
    case 'stopping':
      return hasProofEnded ? 'give up' : undefined;
    case 'stopped':
      return state.is_held || !state.is_target_ready ? 'turn back' : 'place';
    case 'installing':
      if (done === ids.length && state.status === TerminalStatus.ACTIVE) return 'finish';
      return failed > 0 || state.is_late ? 'undo' : undefined;
    case 'undoing':
      return hasProofEnded && state.target_status === HostStatus.ONLINE ? 'destroy' : undefined;
    case 'returning':
      return 'return';
  }
};

const listStatement = sql(
  'list_terminal_moves',
  `select terminal_id from terminal_moves where terminal_id > $1 order by terminal_id limit $2`,
);
const lockStatement = sql(
  'lock_moving_terminal',
  `select id from terminals where id = $1 and deleted_at is null for update`,
);
const readStatement = sql(
  'read_terminal_move',
  `select t.user_id, t.status, s.status as source_status, g.status as target_status,
     g.status = ${HostStatus.ONLINE} and g.cordoned_at is null as is_target_ready,
     p.status as proof_status, coalesce(p.attempts > 0, true) as has_proof_begun, o.*,
     m.phase_since < now() - interval '${MAX_MOVE_MINUTES} minutes' and ${isUpFor(`interval '5 minutes'`)} as is_late,
     ${isFirm('t', 'm.created_at')}
   from terminal_moves m
   join terminals t on t.id = m.terminal_id
   join hosts s on s.id = m.source_host_id
   join hosts g on g.id = m.target_host_id
   left join tasks p on p.id = m.proof_task_id
   cross join lateral (
     select count(*) filter (where status = ${TaskStatus.COMPLETED})::int as done,
       count(*) filter (where finished_at is not null and status <> ${TaskStatus.COMPLETED})::int as failed,
       min(result #>> '{runner_result,-1,message}') filter (where status = ${TaskStatus.FAILED}) as failed_message
     from tasks where id = any(m.task_ids)
   ) o
   where m.terminal_id = $1`,
);

const dateRestorationStatement = sql(
  'date_restoration_of_move',
  `update terminal_restorations r set created_at = m.created_at + interval '1 microsecond'
   from terminal_moves m where m.terminal_id = $1 and r.terminal_id = $1`,
);

export interface MoveParts extends TaskCreationParts {
  db: Store;
  ends: TaskEnds;
  clock: Clock;
  wakeups: Pick<HostWakeups, 'wake'>;
  log: Logger;
  stopping: AbortSignal;
}

type Step = (tx: Transaction, parts: Omit<MoveParts, 'db' | 'log' | 'stopping'>, state: MoveFacts) => Promise<void>;

const toDetached = ({ terminal_id: id, user_id }: MoveFacts) => ({ id, user_id });

const mayStart = ({ is_held: isHeld, is_firm: isStopped }: MoveFacts): boolean => !isHeld && !isStopped;

/** The stop failed: it may have ended the terminal all the same. */
const giveUp: Step = async (tx, parts, state) => {
  const { terminal_id: terminalId, user_id: userId } = state;
  await endMove(tx, terminalId, state.target_host_id);
  if (!state.has_proof_begun || !mayStart(state)) return;
  await createServiceTask(tx, parts, { userId, terminalId, type: TaskType.TERMINAL_START });
};

const place: Step = async (tx, parts, state) => {
  const { terminal_id: id, target_host_id: hostId, target_region: region } = state;
  const tasks = await reinstallWithin(tx, [toDetached(state)]);
  // What came since the move began speaks against trading, too.
  await tx.query(dateRestorationStatement, [id]);
  await settle(tx, id, { hostId, region, status: TerminalStatus.PENDING, reason: MOVING_REASON });
  await writeMove(tx, state, { phase: 'installing', task_ids: tasks.get(id)! });
  tx.afterCommit(() => parts.wakeups.wake([hostId]));
};

const turnBack: Step = async (tx, _parts, state) => {
  const reason = state.is_held
    ? 'It was stopped or locked meanwhile.'
    : 'The other host takes no terminals at the moment.';
  await writeMove(tx, state, { phase: 'returning', reason });
};

const finish: Step = async (tx, _parts, { terminal_id: id, source_host_id: hostId }) => {
  await noteLeft(tx, hostId, id);
  await endMove(tx, id, hostId);
};

/** Nothing more is set up on the target. What runs there counts for nothing: the destruction interrupts it. */
export const endTasksOfMove = async (
  tx: Transaction,
  { ends, clock }: { ends: TaskEnds; clock: Clock },
  taskIds: readonly string[],
): Promise<void> => {
  const text = 'The terminal goes back to its earlier host.';
  const result = toServiceResult(ResultStatus.REFUSED, 'move', 'E_NOT_RUNNING', text, new Date(clock.now()));
  await endTasks(tx, ends, taskIds, result);
};

const destroy: Step = async (tx, parts, state) => {
  const proof = await insertFirst(tx, toDetached(state), TaskType.TERMINAL_DESTROY);
  await follow(tx, state.terminal_id);
  await writeMove(tx, state, { phase: 'undoing', proof_task_id: proof });
  tx.afterCommit(() => parts.wakeups.wake([state.target_host_id]));
};

const undo: Step = async (tx, parts, state) => {
  await endTasksOfMove(tx, parts, state.task_ids);
  const { failed, failed_message: message } = state;
  const late = `It was not set up and logged in there within ${MAX_MOVE_MINUTES} minutes.`;
  const reason = failed === 0 ? late : toPlainSentence(message ?? 'A task on the other host failed.', MAX_REASON);
  await destroy(tx, parts, { ...state, reason });
};

/** As it was when it was stopped; where that host is gone for good, it is made anew on any. */
const goBack: Step = async (tx, parts, state) => {
  const { terminal_id: id, source_host_id: hostId, source_region: region, target_host_id: target } = state;
  const why = `The move to another host failed: ${state.reason ?? ''}`.trim();
  await endMove(tx, id, target);
  if (state.source_status === HostStatus.RETIRED) {
    await reinstallWithin(tx, [toDetached(state)]);
    return settle(tx, id, { hostId: null, region, status: TerminalStatus.PENDING, reason: why });
  }
  if (mayStart(state)) await insertFirst(tx, toDetached(state), TaskType.TERMINAL_START);
  const rest = mayStart(state) ? 'It is being started where it was.' : 'It stays stopped where it was.';
  await settle(tx, id, { hostId, region, status: TerminalStatus.STOPPED, reason: `${why} ${rest}` });
  tx.afterCommit(() => parts.wakeups.wake([hostId]));
};

const steps: Record<MoveAction, Step> = {
  'give up': giveUp,
  place,
  'turn back': turnBack,
  finish,
  undo,
  destroy,
  return: goBack,
};

/** @returns whether there was something to do */
export const stepMove = async (tx: Transaction, parts: Omit<MoveParts, 'db' | 'log' | 'stopping'>, id: string) => {
  if ((await tx.query(lockStatement, [id])).length === 0) return false;
  const move = await lockMove(tx, id);
  const [read] = move ? await tx.query<Omit<MoveFacts, keyof MoveRow>>(readStatement, [id]) : [];
  if (!move || !read) return false;
  await follow(tx, id);
  const state = { ...move, ...read };
  const action = decideMove(state);
  if (action) await steps[action](tx, parts, state);
  return action !== undefined;
};

const MAX_MOVES_PER_BATCH = 200;

const listMoves = async (db: Queryable, after: string): Promise<string[]> =>
  (await db.query<{ terminal_id: string }>(listStatement, [after, MAX_MOVES_PER_BATCH])).map((row) => row.terminal_id);

const carryOn = async (parts: MoveParts, id: string): Promise<void> => {
  const { db, log, stopping } = parts;
  try {
    while (!stopping.aborted && (await db.transaction((tx) => stepMove(tx, parts, id))));
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error;
    log.error({ err: error, terminal: id }, 'a move of a terminal does not go on; the next round tries again');
  }
};

/**
 * One round: each move goes as far as it can; one that fails does not hold up the others. Servers that do it at once wait
 * for each other at each terminal.
 */
export const carryOnMoves = async (parts: MoveParts): Promise<void> => {
  const { db, stopping } = parts;
  let ids = await listMoves(db, LOWEST_ID);
  while (ids.length > 0) {
    for (const id of ids) await carryOn(parts, id);
    ids = stopping.aborted || ids.length < MAX_MOVES_PER_BATCH ? [] : await listMoves(db, ids.at(-1)!);
  }
};
