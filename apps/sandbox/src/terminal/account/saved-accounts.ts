import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ensureFolderOf, resolveOnDisk } from '../../files/folder.ts';
import type { Seal } from '../../files/sealed.ts';
import { toRecord } from '../../wire/fields.ts';
import { hasTrouble, isSameServer } from '../../wire/server-names.ts';

export interface Credentials {
  login: string;
  server: string;
  password: string;
}

const toCredentials = (value: unknown): Credentials | undefined => {
  const { login, server, password } = toRecord(value) ?? {};
  const isComplete = typeof login === 'string' && typeof server === 'string' && typeof password === 'string';
  return isComplete ? { login, server, password } : undefined;
};

/** The accounts whose passwords the terminal saves, encrypted for this folder and drive. */
export class SavedAccounts {
  readonly #root: string;
  readonly #file: string;
  readonly #seal: Seal;
  #accounts: Credentials[] = [];

  constructor(root: string, file: string, seal: Seal) {
    this.#root = root;
    this.#file = file;
    this.#seal = seal;
  }

  /** Reads the file. False when it came from elsewhere (or is to be wiped): it is then deleted. */
  load({ wipe }: { wipe: boolean }): boolean {
    const path = resolveOnDisk(this.#root, this.#file);
    if (!existsSync(path)) return !wipe;
    const text = wipe ? undefined : this.#seal.open(readFileSync(path));
    if (text === undefined) {
      rmSync(path);
      return false;
    }
    const accounts: unknown = JSON.parse(text);
    const saved = Array.isArray(accounts) ? accounts.flatMap((account) => toCredentials(account) ?? []) : [];
    if (saved.some(({ server }) => hasTrouble(server, 'Wiped'))) {
      rmSync(path);
      return false;
    }
    this.#accounts = saved;
    return true;
  }

  find(login: string, server?: string): Credentials | undefined {
    return this.#accounts.find((known) => known.login === login && isSameServer(server ?? known.server, known.server));
  }

  save(account: Credentials): void {
    const isSame = (known: Credentials) => known.login === account.login && isSameServer(known.server, account.server);
    const others = this.#accounts.filter((known) => !isSame(known));
    this.#accounts = [...others, account];
    const path = ensureFolderOf(this.#root, this.#file);
    writeFileSync(path, this.#seal.close(JSON.stringify(this.#accounts)), { mode: 0o600 });
  }
}
