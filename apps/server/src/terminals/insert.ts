/** New terminals, and what their owners write on them. */
import type { TerminalItem } from '@berth/contract';
import { isReferenceGone, isTaken, type Queryable, sql } from '../db/database.ts';
import { ValidationError } from '../errors.ts';
import { unknownProject } from '../validation/unknown-choices.ts';
import { insertStatement } from './transitions.ts';

/** What the owner writes on a terminal; undefined and null: nothing. */
export interface TerminalLabels {
  tags?: readonly string[] | undefined;
  notes?: string | null | undefined;
  external_id?: string | null | undefined;
}

/** Each once, in alphabetical order. */
export const toTags = (tags: readonly string[]): string[] => [...new Set(tags)].sort();

/** The index that lets an external id be used once. */
export const EXTERNAL_ID = 'terminals_by_external_id';

export const takenExternalId = (): ValidationError =>
  ValidationError.of('external_id', 'The external id has already been taken.');

export interface NewTerminal {
  id: string;
  userId: string;
  projectId: string;
  hostId: string | null;
  region: number;
  platform: string;
  name: string;
  serverName: string;
  login: string;
  statusReason: string | null;
  /** It may still get another region than this. */
  isRegionOpen: boolean;
  labels?: TerminalLabels;
}

/**
 * @throws ValidationError when the project was deleted after it was found, or another terminal has the external id
 */
export const insertTerminal = async (tx: Queryable, terminal: NewTerminal): Promise<TerminalItem> => {
  const {
    id,
    userId,
    projectId,
    hostId,
    region,
    platform,
    name,
    serverName,
    login,
    statusReason,
    isRegionOpen,
    labels = {},
  } = terminal;
  const account = [region, platform, name, serverName, login, statusReason];
  const values = [
    id,
    userId,
    projectId,
    hostId,
    ...account,
    toTags(labels.tags ?? []),
    labels.notes,
    labels.external_id,
    isRegionOpen,
  ];
  const [row] = await tx.query<TerminalItem>(insertStatement, values).catch((error: unknown) => {
    if (isReferenceGone(error, 'terminals_project_id_fkey')) throw unknownProject('project_id');
    throw isTaken(error, EXTERNAL_ID) ? takenExternalId() : error;
  });
  if (!row) throw new Error('an insert of a terminal answered no row');
  return row;
};

const takenStatement = sql(
  'list_taken_external_ids',
  `select external_id from terminals where user_id = $1 and external_id = any($2::text[]) and deleted_at is null`,
);

/** Those of the external ids that terminals of the user have. */
export const listTakenExternalIds = async (
  tx: Queryable,
  userId: string,
  ids: readonly string[],
): Promise<Set<string>> =>
  new Set((await tx.query<{ external_id: string }>(takenStatement, [userId, ids])).map((row) => row.external_id));
