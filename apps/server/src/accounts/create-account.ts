import { insertUser } from './credentials.ts';
import type { Queryable } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { insertProject } from '../projects/queries.ts';

export const DEFAULT_PROJECT = 'Default project';

export interface NewAccount {
  name: string;
  email: string;
  passwordHash: string;
  isOperator?: boolean;
}

/** A user and their first project, each naming the other. Undefined when the e-mail address is taken. */
export const createAccount = async (
  tx: Queryable,
  { name, email, passwordHash, isOperator = false }: NewAccount,
): Promise<{ id: string } | undefined> => {
  const id = createId();
  const projectId = createId();
  const isCreated = await insertUser(tx, { id, name, email, passwordHash, projectId, isOperator });
  if (!isCreated) return undefined;
  await insertProject(tx, { id: projectId, userId: id, name: DEFAULT_PROJECT, description: null });
  return { id };
};
