/** Backups and restorations that are killed or stopped half way; the slow tests end them at the other moments, too. */
import { describe } from 'vitest';
import {
  testBackups,
  testForeignFolder,
  testKilledRestorations,
  testRestorationsIntoDatabase,
  testStoppedRestorations,
  TIMEOUT_MS,
  useBackup,
} from './interruptions.ts';

useBackup();

describe('a restoration', { timeout: TIMEOUT_MS }, () => {
  testKilledRestorations('has the key');
  testStoppedRestorations('has begun', 'has the key');
  testRestorationsIntoDatabase('SIGKILL');
  testForeignFolder();
});

describe('a backup', { timeout: TIMEOUT_MS }, () => testBackups('SIGTERM'));
