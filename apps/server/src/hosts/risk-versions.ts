import { sql, type Queryable } from '../db/database.ts';

const versionsStatement = sql(
  'find_host_risk_versions',
  `select host_id, version::double precision as version from host_risk_versions where host_id = any($1::uuid[])`,
);

/** Of the hosts whose terminals have, or had, rules. */
export const findRiskVersions = async (db: Queryable, hostIds: readonly string[]): Promise<Map<string, number>> => {
  const rows = await db.query<{ host_id: string; version: number }>(versionsStatement, [hostIds]);
  return new Map(rows.map(({ host_id: id, version }) => [id, version]));
};
