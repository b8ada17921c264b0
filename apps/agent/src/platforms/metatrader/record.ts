import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSameLogin, isSameServerName, type Platform } from '@berth/contract/values';
import { removeDrafts, replaceFile } from '@berth/kit';
import type { ProcessHandle } from '../../launchers/launcher.ts';

export interface Account {
  login: string;
  server_name: string;
  /** Where the server is given by an address: what the terminal calls the server behind it, since its first login. */
  seen?: { address: string; server: string };
}

/**
 * What the driver remembers about a terminal across its own restarts. No passwords: the terminal stores its own,
 * encrypted.
 */
export interface TerminalRecord {
  version: 1;
  platform: Platform;
  isInstalled: boolean;
  /** False after a logout or a stop: the terminal stays down until the next login or start. */
  shouldRun: boolean;
  /** True after a stop: unlike after a logout, the terminal has an account to start with. */
  isStopped?: boolean;
  /** As its launcher named it; a terminal is also found without it. */
  process: ProcessHandle | null;
  account: Account | null;
  /** The trading server refused the account. What the terminal has saved of it is not tried again. */
  isRefused?: boolean;
  /** What it said then. */
  refusal?: string | undefined;
  /** Addresses of trading servers by name, for names that the terminal itself does not know. */
  servers: { name: string; address: string }[];
  /** The Algo Trading button as last set by the user. */
  allowsAlgoTrading: boolean;
  /** The URLs that EAs may call; entered again after a crash, which loses them. */
  webRequestUrls: string[];
  /**
   * The EA that a task takes off its charts, as the task names it, until that is proven: a repetition of the task finds
   * no chart any more.
   */
  removing?: string | null;
  /** Chart id → digest of what was installed on it, so that an identical installation is recognised. */
  installations: Record<string, string>;
}

type KnownServers = Pick<TerminalRecord, 'servers'>;

/** The address that the user gave for a server's name. */
export const findAddress = ({ servers }: KnownServers, serverName: string): string | undefined =>
  servers.find(({ name }) => isSameServerName(name, serverName))?.address;

/** What to write where the terminal expects a server: the address that the user gave for the name, or the name. */
export const toServer = (record: KnownServers, serverName: string): string =>
  findAddress(record, serverName) ?? serverName;

/** Whether it is the terminal's own account, whichever name or address of its server is used. */
export const isOwnAccount = (
  record: Readonly<TerminalRecord>,
  { login, serverName }: { login: string; serverName: string },
): boolean => {
  const { account } = record;
  if (account === null || !isSameLogin(account.login, login)) return false;
  return isSameServerName(toServer(record, account.server_name), toServer(record, serverName));
};

const createRecord = (platform: Platform): TerminalRecord => ({
  version: 1,
  platform,
  isInstalled: false,
  shouldRun: false,
  process: null,
  account: null,
  servers: [],
  allowsAlgoTrading: false,
  webRequestUrls: [],
  installations: {},
});

export const RECORD_FILE = 'terminal.json';

/** @returns undefined when the file does not exist. Throws on a file that this program did not write. */
export const findRecord = async (path: string): Promise<TerminalRecord | undefined> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const record = JSON.parse(text) as TerminalRecord;
  if (record.version !== 1) throw new Error(`${path} was written by a newer version`);
  return record;
};

/** The record's file, mode 0600; every change replaces it at once, in the order of the calls. */
export class RecordFile {
  readonly #path: string;
  #record: TerminalRecord;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, record: TerminalRecord) {
    this.#path = path;
    this.#record = record;
  }

  /** Call it once per start of the agent: removes drafts left by an agent that was killed. */
  static async open(path: string, platform: Platform): Promise<RecordFile> {
    await removeDrafts(path);
    return new RecordFile(path, (await findRecord(path)) ?? createRecord(platform));
  }

  get(): Readonly<TerminalRecord> {
    return this.#record;
  }

  /** Changes the record in memory immediately; resolves when the change is on disk. */
  update(changes: Partial<Omit<TerminalRecord, 'version' | 'platform'>>): Promise<void> {
    this.#record = { ...this.#record, ...changes };
    return this.#enqueue(async () => {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      await replaceFile(this.#path, `${JSON.stringify(this.#record, null, 2)}\n`);
    });
  }

  /** Resolves when the changes so far are on disk, or have failed. */
  flush(): Promise<void> {
    return this.#writing;
  }

  remove(): Promise<void> {
    this.#record = createRecord(this.#record.platform);
    return this.#enqueue(() => rm(this.#path, { force: true }));
  }

  #enqueue(write: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => {});
    return written;
  }
}
