import { resolve } from 'node:path';
import { CommandError, type Page } from '@berth/command';
import type { BackupState } from '@berth/contract';
import { listScheduledFiles, type ScheduledFile } from '../backup/scheduled-file.ts';
import { commandOperator } from '../operation/acting-operator.ts';
import { requestBackup } from '../operation/backup-request.ts';
import { findBackupState } from '../overview/state.ts';
import { toAnswer, type OperatorCommand } from './command.ts';
import { toTable } from './table.ts';

const MIB = 1024 * 1024;

const listFiles = async (folder: string | undefined): Promise<ScheduledFile[]> => {
  if (folder === undefined) return [];
  return listScheduledFiles(folder).catch((error: unknown) => {
    // It is made with the first backup.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new CommandError(`${folder} cannot be read (${(error as Error).message}).`);
  });
};

const HEAD = ['file', 'MiB'];

const toFiles = (page: Page, folder: string | undefined, files: readonly ScheduledFile[]): string => {
  if (folder === undefined) return 'BERTH_BACKUP_DIR is not set here, so its files are not listed.\n';
  if (files.length === 0) return `There are no scheduled backups in ${folder}.\n`;
  const rows = files.map(({ name, sizeBytes }) => [name, Math.ceil(sizeBytes / MIB)]);
  return `In ${resolve(folder)}:\n${toTable(page, HEAD, rows)}`;
};

const toState = (state: BackupState | undefined): string => {
  if (!state) return 'No backups are scheduled: BERTH_BACKUP_DIR of the server names their folder.\n';
  const last = state.last_succeeded_at ?? 'none yet';
  const failed = state.error === null ? '' : `The last one failed: ${state.error}\n`;
  const next = state.is_running ? 'One is being made.' : `The next one is due at ${state.next_at}.`;
  return `Last backup: ${last}. ${next}\n${failed}`;
};

export const backupCommands: Record<string, OperatorCommand> = {
  run: {
    form: '',
    summary: 'has the server make a scheduled backup now',
    details: 'The server begins within seconds, or when it is started. script/backup writes one by itself.',
    options: {},
    count: 0,
    run: async ({ db }) => {
      const backup = await db.transaction((tx) => requestBackup(tx, commandOperator));
      return toAnswer('The server makes a backup now. script/operator backups list shows it.\n', { backup });
    },
  },
  list: {
    form: '',
    summary: 'says when backups were made and will be, and lists those in BERTH_BACKUP_DIR',
    options: {},
    count: 0,
    run: async ({ db, config }, { page }) => {
      const { folder } = config.backup;
      const state = await findBackupState(db);
      const files = await listFiles(folder);
      const shown = files.map(({ name, sizeBytes }) => ({ name, size_bytes: sizeBytes }));
      return toAnswer(toState(state) + toFiles(page, folder, files), { backup: state ?? null, files: shown });
    },
  },
};
