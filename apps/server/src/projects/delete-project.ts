/**
 * Deleting a project. Whoever puts a terminal into it, or makes it the default, locks its row: a creation by the
 * foreign key of the terminal, a change by a lock of its own. So what is read once the row is locked stays true.
 */
import type { Project } from '@berth/contract';
import { recordAudit, type Actor } from '../audit/record.ts';
import { sql, type Database, type Queryable } from '../db/database.ts';

const lockStatement = sql(
  'lock_project',
  `select id, name, description from projects where id = $2 and user_id = $1 for update`,
);

/** Nobody else changes the user's project, or puts anything into it, until the transaction ends. */
export const lockProject = async (
  tx: Queryable,
  userId: string,
  id: string,
): Promise<Pick<Project, 'id' | 'name' | 'description'> | undefined> =>
  (await tx.query<Pick<Project, 'id' | 'name' | 'description'>>(lockStatement, [userId, id]))[0];

const useStatement = sql(
  'find_project_use',
  `select exists (select from users where id = $1 and default_project_id = $2) as is_default,
     exists (select from terminals where project_id = $2 and deleted_at is null)
       or exists (select from webhooks where project_id = $2)
       or exists (select from alert_rules where project_id = $2)
       or exists (select from risk_rules where project_id = $2) as is_in_use`,
);

/** Destroyed terminals are kept for a while, and their rows refer to a project. */
const moveDestroyedStatement = sql(
  'move_destroyed_terminals',
  `update terminals set project_id = (select default_project_id from users where id = $1)
   where project_id = $2 and deleted_at is not null`,
);

const deleteStatement = sql('delete_project', `delete from projects where id = $1`);

export type ProjectDeletion = 'deleted' | 'not_found' | 'default_project' | 'project_in_use';

/** Deletes the user's project, unless it has terminals, webhooks, alert rules or risk rules, or is the default one. */
export const deleteProject = (db: Database, actor: Actor, userId: string, id: string): Promise<ProjectDeletion> =>
  db.transactionFor(userId, async (tx) => {
    const before = await lockProject(tx, userId, id);
    if (!before) return 'not_found';
    const [use] = await tx.query<{ is_default: boolean; is_in_use: boolean }>(useStatement, [userId, id]);
    if (use?.is_default) return 'default_project';
    if (use?.is_in_use) return 'project_in_use';
    await tx.query(moveDestroyedStatement, [userId, id]);
    await tx.query(deleteStatement, [id]);
    await recordAudit(tx, actor, { action: 'project.delete', target: { type: 'project', id }, before });
    return 'deleted';
  });
