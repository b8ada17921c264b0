import type { BulkRun } from '@berth/client';
import { serverNow } from '../data/server-clock.ts';

/** Runs that ended with exceptions are shown until they are dismissed, but not for ever. */
const SHOWN_MS = 24 * 60 * 60_000;

/** Whether it is shown above the pages: while it is open, and afterwards if there were exceptions. */
export const isInTray = ({ finished_at: finishedAt, succeeded, total }: BulkRun): boolean =>
  finishedAt === null || (succeeded < total && serverNow() - Date.parse(finishedAt) < SHOWN_MS);
