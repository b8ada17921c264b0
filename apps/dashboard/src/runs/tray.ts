import type { BulkRun } from '@berth/client';
import { serverNow } from '../data/server-clock.ts';

/** What ended with exceptions is shown until somebody dismisses it, but not for ever. */
const SHOWN_MS = 24 * 60 * 60_000;

/** Whether it is shown above the pages: as long as it is open, and afterwards if something was not done. */
export const isInTray = ({ finished_at: finishedAt, succeeded, total }: BulkRun): boolean =>
  finishedAt === null || (succeeded < total && serverNow() - Date.parse(finishedAt) < SHOWN_MS);
