import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sleep } from '@berth/kit';

/** The unprivileged account that runs PostgreSQL when the server itself runs as root. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

const NAME = 'berth';
/**
 * Servers that start at the same time may also create the account at the same time: the loser finds a locked or
 * complete account file.
 */
const TRIES = 25;
const RETRY_MS = 200;

const run = promisify(execFile);
const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

/** shadow-utils (most distributions), then busybox (Alpine). */
const CREATORS: readonly (readonly [program: string, ...args: string[]])[] = [
  [
    'useradd',
    '--system',
    '--user-group',
    '--no-create-home',
    '--home-dir',
    '/nonexistent',
    '--shell',
    '/bin/false',
    NAME,
  ],
  ['adduser', '-S', '-D', '-H', '-h', '/nonexistent', '-s', '/bin/false', NAME],
];

/** Finds the account, or creates it. PostgreSQL refuses to run as root. Throws with possible remedies. */
export const ensureAccount = async (): Promise<Account> => {
  let failure: unknown;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const account = await findAccount();
    if (account !== undefined) return account;
    if (attempt > 0) await sleep(RETRY_MS);
    failure = await createAccount();
    if (isMissingProgram(failure)) break;
  }
  const account = await findAccount();
  if (account !== undefined) return account;
  throw new Error(
    `PostgreSQL refuses to run as root, and the account "${NAME}" for it could not be created. ` +
      `Create it (for example: useradd --system ${NAME}), or run the server as an ordinary user, ` +
      'or set BERTH_DATABASE_URL to a PostgreSQL server that you run.',
    { cause: failure },
  );
};

const findAccount = async (): Promise<Account | undefined> => {
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, NAME], { env })));
    return { name: NAME, uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  } catch {
    return undefined;
  }
};

/** Tries one family of tools after the other; returns why the last one failed, undefined when one succeeded. */
const createAccount = async (): Promise<unknown> => {
  let failure: unknown;
  for (const [program, ...args] of CREATORS) {
    try {
      await run(program, args, { env });
      return undefined;
    } catch (error) {
      failure = error;
      if (!isMissingProgram(error)) return error;
    }
  }
  return failure;
};

const isMissingProgram = (error: unknown): boolean => (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
