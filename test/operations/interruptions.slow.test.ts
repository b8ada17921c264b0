/** Backups and restorations that are killed or stopped at the moments at which most has been done, and two at once. */
import { describe } from 'vitest';
import {
  testBackups,
  testKilledRestorations,
  testRestorationsIntoDatabase,
  testSecondRestoration,
  testStoppedRestorations,
  TIMEOUT_MS,
  useBackup,
} from './interruptions.ts';

useBackup();

describe('a restoration', { timeout: TIMEOUT_MS }, () => {
  testKilledRestorations('has begun', 'runs PostgreSQL');
  testStoppedRestorations('runs PostgreSQL');
  testRestorationsIntoDatabase('SIGTERM');
  testSecondRestoration();
});

describe('a backup', { timeout: TIMEOUT_MS }, () => testBackups('SIGKILL'));
