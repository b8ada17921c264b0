import type pg from 'pg';
import { rowTypes } from './row-types.ts';

/** What all connections have. */
export const CONFIG: pg.ClientConfig = {
  application_name: 'berth',
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  types: rowTypes,
};

/**
 * Settings of connections for statements that an index answers. They plan without sequential scans, bitmaps and sorts where
 * an index offers the order, because a plan made while a table was empty or its statistics old would otherwise read the
 * table from end to end; and they keep their plans.
 */
export const INDEXED = '-c timezone=UTC -c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off';
