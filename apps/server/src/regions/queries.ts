import { sql, type Queryable } from '../db/database.ts';

export interface RegionRow {
  id: number;
  label: string;
  /** ISO 3166-1 alpha-2, lower case. */
  country: string;
}

const listStatement = sql('list_regions', `select id, label, country from regions order by id`);

export const listRegions = (db: Queryable): Promise<RegionRow[]> => db.query<RegionRow>(listStatement);
