import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isSameLogin, isSameServerName } from '@berth/contract/values';
import { openText, replaceFile, sealText } from '@berth/kit';
import type { TerminalHome } from '../home.ts';

/** An account as specified by its user. */
export interface AccountToUse {
  login: string;
  password: string;
  serverName: string;
}

interface KeptAccount extends AccountToUse {
  /** What the password was until a login with this one was asked for, which has not succeeded yet. */
  formerPassword?: string;
}

const KEY_BYTES = 32;

/** A file of the host's own. @returns undefined when there is none */
const findBytes = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * The host's key for what it keeps; created at its first use. If two create it at once, both end up with the same one.
 */
const ensureKey = async (path: string): Promise<Buffer> => {
  const known = await findBytes(path);
  if (known?.length === KEY_BYTES) return known;
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, randomBytes(KEY_BYTES), { mode: 0o600, flush: true });
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return (await findBytes(path)) ?? ensureKey(path);
};

/**
 * The account of a terminal, which every start specifies. It cannot be determined whether the terminal has saved its
 * password: its file of accounts exists even if it has not, and then it does nothing. So the account is kept as long as
 * it is useful, through silence, crashes and restarts of the agent or the machine. It is encrypted next to the
 * terminal, with a key of the host, and bound to that terminal.
 *
 *   nothing ─ the terminal's own account is asked for, or another one came in ─▶ kept ─ refused, logged out ─▶ nothing
 *
 * Another password for the kept account replaces the former one, which comes back if the other one is refused. A refused
 * password is not retried automatically: repeating a wrong one locks accounts.
 */
export class KeptLogin {
  readonly #path: string;
  readonly #keyPath: string;
  readonly #binding: string;
  #last: Promise<void> = Promise.resolve();

  constructor({ folder }: Pick<TerminalHome, 'folder'>) {
    this.#path = join(folder, 'login.sealed');
    this.#keyPath = join(dirname(folder), 'logins.key');
    this.#binding = basename(folder);
  }

  /** @returns undefined also for one that this host did not encrypt for this terminal */
  async find(): Promise<AccountToUse | undefined> {
    await this.#last;
    return this.#read();
  }

  async keep(account: AccountToUse): Promise<void> {
    await this.#enqueue(async () => {
      const last = await this.#read();
      const isSame =
        last && isSameLogin(last.login, account.login) && isSameServerName(last.serverName, account.serverName);
      const formerPassword = isSame ? (last.formerPassword ?? last.password) : account.password;
      await this.#write({ ...account, ...(formerPassword === account.password ? {} : { formerPassword }) });
    });
  }

  /** The login has succeeded: the former password is not needed any more. */
  async confirm(): Promise<void> {
    await this.#enqueue(async () => {
      const kept = await this.#read();
      if (kept?.formerPassword === undefined) return;
      const { formerPassword: _, ...account } = kept;
      await this.#write(account);
    });
  }

  /** The login was refused: the former password comes back, or nothing is kept. */
  async refuse(): Promise<void> {
    await this.#enqueue(async () => {
      const kept = await this.#read();
      if (kept?.formerPassword === undefined) return rm(this.#path, { force: true });
      const { formerPassword: password, ...account } = kept;
      await this.#write({ ...account, password });
    });
  }

  async forget(): Promise<void> {
    await this.#enqueue(() => rm(this.#path, { force: true }));
  }

  async #read(): Promise<KeptAccount | undefined> {
    const sealed = await findBytes(this.#path);
    const text = sealed && openText(await ensureKey(this.#keyPath), this.#binding, sealed.toString('utf8'));
    return text === undefined ? undefined : (JSON.parse(text) as KeptAccount);
  }

  async #write(account: KeptAccount): Promise<void> {
    const key = await ensureKey(this.#keyPath);
    await replaceFile(this.#path, sealText(key, this.#binding, JSON.stringify(account)));
  }

  /** In the order of the calls: what is forgotten must not come back. */
  #enqueue(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => {});
    return done;
  }
}
