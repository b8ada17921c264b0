/** How long after a fault work goes on: until the first end of a task that was handed out after it. */
import { TaskStatus } from '@berth/contract';
import type { FarScene } from '../faults/far-scene.ts';
import type { StrikeKind, StruckPlace } from './strikes.ts';

export interface StruckAt extends StruckPlace {
  kind: StrikeKind;
}

interface AttemptRow {
  terminal_id: string;
  delivered_at: Date;
  ended_at: Date;
}

/** Completed attempts since then, from the history that the server keeps. */
const listAttempts = (scene: FarScene, since: Date): Promise<AttemptRow[]> =>
  scene.query<AttemptRow>(
    `select t.terminal_id, delivered.at as delivered_at, ended.at as ended_at
     from task_history ended
       join tasks t on t.id = ended.task_id
       join task_history delivered
         on delivered.task_id = ended.task_id and delivered.attempt = ended.attempt and delivered.to_status = ${TaskStatus.DELIVERED}
     where t.created_at >= $1 and ended.to_status = ${TaskStatus.COMPLETED} order by ended.at`,
    [since],
  );

/**
 * @param struck of one round, in their order
 * @returns milliseconds by kind; faults after which the round had no task any more are left out
 */
export const measureRecoveries = async (
  scene: FarScene,
  struck: readonly StruckAt[],
  since: Date,
): Promise<[StrikeKind, number][]> => {
  const attempts = await listAttempts(scene, since);
  return struck.flatMap(({ kind, atMs, terminalId }): [StrikeKind, number][] => {
    const isAfter = (one: AttemptRow) =>
      one.delivered_at.getTime() > atMs && (terminalId === undefined || one.terminal_id === terminalId);
    const first = attempts.find(isAfter);
    return first ? [[kind, first.ended_at.getTime() - atMs]] : [];
  });
};
