/** Backups by a schedule: every server with a folder for them looks whether one is due, and one of them makes it. */
import { randomUUID } from 'node:crypto';
import { sleep, type Clock, type Logger } from '@berth/kit';
import { listOperators } from '../accounts/users.ts';
import type { BackupPlan, ServerConfig } from '../config.ts';
import type { Database, Queryable } from '../db/database.ts';
import { recordEvents } from '../events/record.ts';
import { toNextRuns } from '../schedules/cron.ts';
import {
  claimBackup,
  forgetBackupPlan,
  LEASE_MS,
  noteFailure,
  noteLate,
  noteSuccess,
  planBackup,
  releaseBackup,
  renewLease,
  type Missing,
} from './schedule.ts';
import { deleteOldFiles, writeScheduledFile } from './scheduled-file.ts';

/** A server that dies of each attempt must not go on like that. */
const MAX_ATTEMPTS = 3;
const MAX_ERROR = 500;

export interface ScheduledBackupsParts {
  db: Database;
  config: Pick<ServerConfig, 'backup' | 'dataDir' | 'databaseUrl' | 'secretKey'>;
  /** Of the database, as it is now. */
  toDatabaseUrl: () => string;
  clock: Clock;
  log: Logger;
  stopping: AbortSignal;
}

const notifyOperators = async (tx: Queryable, error: string, { last_succeeded_at }: Missing): Promise<void> => {
  const data = { error, last_succeeded_at };
  const operators = await listOperators(tx);
  await recordEvents(
    tx,
    operators.map((userId) => ({ type: 'backup.failed', userId, terminalId: null, data }) as const),
  );
};

export class ScheduledBackups {
  readonly #parts: ScheduledBackupsParts;
  #isPlanned = false;

  constructor(parts: ScheduledBackupsParts) {
    this.#parts = parts;
  }

  /** Makes a backup if one is due and nobody else does, and says when there has been none for too long. */
  async takeTurn(): Promise<void> {
    const { config, db } = this.#parts;
    if (!this.#isPlanned) await this.#plan();
    this.#isPlanned = true;
    const { backup } = config;
    const id = randomUUID();
    const { folder } = backup;
    const due = folder === undefined ? undefined : await claimBackup(db, id);
    if (folder !== undefined && due) await this.#make({ ...backup, folder }, id, due);
    await db.transaction(async (tx) => {
      const late = await noteLate(tx);
      if (late) await notifyOperators(tx, 'There has been no backup for twice as long as planned.', late);
    });
  }

  async #plan(): Promise<void> {
    const { clock, config, db } = this.#parts;
    const { backup } = config;
    // Without a database of others this is the only server: nobody makes backups any more.
    if (backup.folder === undefined) return config.databaseUrl === undefined ? forgetBackupPlan(db) : undefined;
    const [dueAt, next] = toNextRuns(backup, new Date(clock.now()), 2);
    if (!dueAt) return undefined;
    const intervalSeconds = Math.round(((next?.getTime() ?? dueAt.getTime()) - dueAt.getTime()) / 1_000);
    return planBackup(db, { text: `${backup.cron} ${backup.time_zone}`, intervalSeconds, dueAt });
  }

  async #make(
    plan: BackupPlan & { folder: string },
    id: string,
    { attempts, dueAt }: { attempts: number; dueAt: Date },
  ): Promise<void> {
    const { clock, config, db, log, stopping, toDatabaseUrl } = this.#parts;
    const { folder, keep } = plan;
    const ending = new AbortController();
    const lost = new AbortController();
    const signal = AbortSignal.any([stopping, lost.signal]);
    const keeping = this.#keepLease(id, lost, AbortSignal.any([signal, ending.signal]));
    // By which clock it was due does not matter: the time after it is a later one by both.
    const toNext = () => toNextRuns(plan, new Date(Math.max(clock.now(), dueAt.getTime())), 1)[0] ?? dueAt;
    try {
      if (attempts > MAX_ATTEMPTS) throw new Error(`the server ended during each of ${MAX_ATTEMPTS} attempts`);
      const { dataDir, secretKey } = config;
      const source = { dataDir, databaseUrl: toDatabaseUrl(), hasKeys: secretKey === undefined };
      const { name, sizeBytes } = await writeScheduledFile({ ...source, folder, id, log, signal });
      await noteSuccess(db, { id, dueAt: toNext(), name, sizeBytes });
      log.info({ folder, name, sizeBytes }, 'a scheduled backup was made');
      await deleteOldFiles(folder, keep);
    } catch (error) {
      if (stopping.aborted) return await releaseBackup(db, id);
      log.error({ err: error }, 'a scheduled backup failed');
      await this.#fail(id, toNext(), (error as Error).message.slice(0, MAX_ERROR));
    } finally {
      ending.abort();
      await keeping;
    }
  }

  async #fail(id: string, dueAt: Date, error: string): Promise<void> {
    await this.#parts.db.transaction(async (tx) => {
      const failed = await noteFailure(tx, { id, dueAt, error });
      if (failed) await notifyOperators(tx, error, failed);
    });
  }

  /** Aborts `lost` before another server may begin. */
  async #keepLease(id: string, lost: AbortController, ending: AbortSignal): Promise<void> {
    let renewedAt = performance.now();
    while (!ending.aborted) {
      await sleep(LEASE_MS / 6, ending);
      if (ending.aborted) return;
      const askedAt = performance.now();
      const isOurs = await renewLease(this.#parts.db, id).catch(() => undefined);
      if (isOurs) renewedAt = askedAt;
      if (isOurs === false || performance.now() - renewedAt > LEASE_MS / 2) lost.abort(new Error('the lease was lost'));
    }
  }
}
