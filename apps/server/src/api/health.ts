import type { FastifyInstance } from 'fastify';
import { sql } from '../db/database.ts';
import { AppError } from '../errors.ts';
import type { CoreServices, ProcessServices } from '../services.ts';
import { toEnvelope } from './http/envelope.ts';
import type { Room, Rooms } from './limits/room.ts';

/** A database that has not answered by then counts as down: probes have deadlines of their own. */
const PROBE_TIMEOUT_MS = 3_000;

/**
 * A scheduler that has completed no tick for this long is broken. Even a slow one, or one that moves to another server,
 * completes one sooner.
 */
const STALLED_MS = 60_000;

const healthStatement = sql(
  'read_health',
  `select (select count(*) from migrations) as migrations, completed_at,
     (select id from secret_keys where role = 'sealing') as sealing_key
   from scheduler`,
);

type Probed = Pick<CoreServices & ProcessServices, 'db' | 'draining' | 'pulse' | 'times' | 'vault'>;

const assertReady = async ({ db, draining, pulse, times, vault }: Probed, rooms: Rooms): Promise<void> => {
  if (draining.signal.aborted) throw new Error('the server is stopping');
  const [row] = await db.query<{ migrations: number; completed_at: string; sealing_key: string }>(healthStatement);
  if (!row?.migrations) throw new Error('no migration has been applied');
  // Another server started to encrypt with a key that this one lacks: it could not decrypt those secrets.
  if (!vault.keyIds.includes(row.sealing_key)) {
    throw new Error(
      `secrets are sealed under the key ${row.sealing_key} now, which this server lacks: give it all keys`,
    );
  }
  const isStuck = Object.values(rooms).some((room: Room) => room.isStuck(times.roomStuckMs));
  if (isStuck) throw new AppError('room_stuck', { retryAfterSeconds: 10 });
  pulse.observe(row.completed_at);
  if (pulse.ageMs > STALLED_MS) throw new AppError('scheduler_stalled', { retryAfterSeconds: 10 });
};

/** Rejects when the promise has not settled in time; the work behind it continues. */
const withTimeout = async (promise: Promise<void>, timeoutMs: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

/** `/healthz`: this process answers. `/readyz`: it can also do its work, so requests may be sent to it. */
export const registerHealthRoutes = (
  app: FastifyInstance,
  services: Probed & Pick<CoreServices, 'log'>,
  rooms: Rooms,
): void => {
  app.get('/healthz', { logLevel: 'warn' }, async () => toEnvelope('Alive.', null));
  app.get('/readyz', { logLevel: 'warn' }, async () => {
    try {
      await withTimeout(assertReady(services, rooms), PROBE_TIMEOUT_MS);
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      throw new AppError('unavailable', { retryAfterSeconds: 2 }, { cause });
    }
    return toEnvelope('Ready.', null);
  });
};
