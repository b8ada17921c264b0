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

/** No version yet: nothing has changed. */
const settingsStatement = sql(
  'note_known_rule_settings',
  `insert into host_risk_versions as v (host_id, version, settings) values ($1, 0, $2)
   on conflict (host_id) do update set settings = excluded.settings where v.settings is distinct from excluded.settings`,
);

/** Notes which settings of rules the agent of a host applies (`RULE_SETTINGS`). */
export const noteKnownSettings = async (db: Queryable, hostId: string, settings: number): Promise<void> => {
  await db.query(settingsStatement, [hostId, settings]);
};
