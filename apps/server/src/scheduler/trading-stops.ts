import { TaskType } from '@berth/contract';
import type { Database } from '../db/database.ts';
import { createTasks, type TaskCreationParts } from '../lifecycle/create-task.ts';
import { takeUnconfirmed } from '../tasks/trading-stop.ts';

/** Terminals that are asked again by one transaction. */
const PORTION = 500;

export interface TradingStopsParts extends TaskCreationParts {
  db: Pick<Database, 'slow' | 'transaction'>;
  stopping: AbortSignal;
}

/**
 * Asks the terminals of stops again that have not confirmed that algo trading is off. If a server is killed before
 * their tasks exist, they are asked after the next pause.
 */
export const askUnconfirmed = async (parts: TradingStopsParts): Promise<void> => {
  const { db, stopping } = parts;
  let taken = PORTION;
  while (taken === PORTION && !stopping.aborted) {
    const unconfirmed = await takeUnconfirmed(db.slow, PORTION);
    taken = unconfirmed.length;
    const requests = unconfirmed.map(({ user_id: userId, terminal_id: terminalId }) => {
      const payload = { allow_algo_trading: 0 };
      return { userId, terminalId, type: TaskType.OPTIONS_AUTO_TRADE, payload, actor: 'service' as const };
    });
    if (taken > 0) await db.transaction((tx) => createTasks(tx, parts, requests));
  }
};
