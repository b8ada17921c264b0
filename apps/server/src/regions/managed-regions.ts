/** Regions as operators see and change them. There are few: whoever changes one holds all of them. */
import { MAX_REGIONS, type OperatorRegion } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { ValidationError } from '../errors.ts';

const listStatement = sql(
  'list_managed_regions',
  `select id, label as name, country as flag, is_default, accepts_terminals from regions order by id`,
);

/** @param configured the default of the configuration, which is one where no operator has chosen another */
export const listManagedRegions = async (db: Queryable, configured: number | undefined): Promise<OperatorRegion[]> => {
  const rows = await db.query<OperatorRegion>(listStatement);
  if (rows.some((row) => row.is_default)) return rows;
  return rows.map((row) => ({ ...row, is_default: row.id === configured && row.accepts_terminals }));
};

// Without a name: it has no plan.
const lockStatement = sql('', `lock table regions in share row exclusive mode`);
const clearDefaultStatement = sql('clear_default_region', `update regions set is_default = false where is_default`);
const insertStatement = sql(
  'insert_region',
  `insert into regions (id, label, country, is_default, accepts_terminals) values ($1, $2, $3, $4, $5)`,
);
const updateStatement = sql(
  'update_region',
  `update regions set label = $2, country = $3, is_default = $4, accepts_terminals = $5 where id = $1`,
);

/** Undefined: it stays as it is. */
type Changes = { [Field in Exclude<keyof OperatorRegion, 'id'>]?: OperatorRegion[Field] | undefined };

/** @throws ValidationError when another region has the name, or the default would take no terminals */
const assertSound = (regions: readonly OperatorRegion[], region: OperatorRegion, changes: Changes): void => {
  const name = region.name.toLowerCase();
  if (regions.some((other) => other.id !== region.id && other.name.toLowerCase() === name)) {
    throw ValidationError.of('name', 'The name has already been taken.', 'GET /v1/operator/regions lists the names.');
  }
  if (!region.is_default || region.accepts_terminals) return;
  const field = changes.accepts_terminals === false ? 'accepts_terminals' : 'is_default';
  throw ValidationError.of(
    field,
    'The default region must accept terminals.',
    'Make another region the default first.',
  );
};

/**
 * Changes a region, or with `id` undefined creates one. One that becomes the default takes that from the one that was.
 * @returns undefined when there is no such region
 */
export const writeRegion = async (
  tx: Queryable,
  id: number | undefined,
  changes: Changes,
): Promise<{ before: OperatorRegion | null; after: OperatorRegion } | undefined> => {
  await tx.query(lockStatement);
  const regions = await tx.query<OperatorRegion>(listStatement);
  const before = regions.find((region) => region.id === id) ?? null;
  if (before === null && id !== undefined) return undefined;
  if (before === null && regions.length >= MAX_REGIONS) {
    throw ValidationError.of('name', `There may be ${MAX_REGIONS} regions at most.`, 'Rename one that is not used.');
  }
  const fresh = { id: (regions.at(-1)?.id ?? -1) + 1, name: '', flag: '', is_default: false, accepts_terminals: true };
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const after: OperatorRegion = { ...(before ?? fresh), ...given };
  assertSound(regions, after, changes);
  if (after.is_default && before?.is_default !== true) await tx.query(clearDefaultStatement);
  const { name, flag, is_default: isDefault, accepts_terminals: accepts } = after;
  await tx.query(before ? updateStatement : insertStatement, [after.id, name, flag, isDefault, accepts]);
  return { before, after };
};
