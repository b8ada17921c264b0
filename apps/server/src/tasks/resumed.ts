/** Algo trading comes back once everything of a restoration is done (`deployment/restoration.ts`). */
import { TaskStatus, TaskType } from '@berth/contract';
import type { Queryable } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { setupTypes } from '../snapshots/setup.ts';
import { resumeTradingStatement } from './move-statements.ts';
import type { TaskMove } from './outcomes.ts';

const types: ReadonlySet<TaskType> = new Set([TaskType.TERMINAL_INSTALL, TaskType.ACCOUNT_LOGIN, ...setupTypes]);

/** Turns algo trading on where these tasks were the last of a restoration. Lock the terminals before. */
export const resumeTrading = async (tx: Queryable, ended: readonly TaskMove[]): Promise<void> => {
  const done = ended.filter(({ task, to }) => to === TaskStatus.COMPLETED && types.has(task.type));
  if (done.length === 0) return;
  const ids = [...new Set(done.map(({ task }) => task.terminal_id))];
  await tx.query(resumeTradingStatement, [ids, ids.map(() => createId())]);
};
