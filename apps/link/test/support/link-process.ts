import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Compiles the program's MQL source with g++, unless that is done. */
export const buildNative = async (): Promise<void> => {
  await promisify(execFile)(join(root, 'script/build-link'), ['native']);
};

export const BEGAN_MS = Date.UTC(2026, 10, 27, 7, 30);

export type Variant = 'service' | 'expert' | 'mt4';
type Json = Record<string, unknown>;

export const POSITION = {
  ticket: '11',
  symbol: 'EURUSD',
  side: 'buy',
  volume: '0.10',
  open_price: '1.05000',
  price: '1.05010',
  stop_loss: null,
  take_profit: '1.06000',
  swap: '-0.12',
  profit: '1.00',
  magic: '77',
  comment: 'grid',
  opened_at: '2026-11-27T07:00:00.250Z',
};

export const ORDER = {
  ticket: '21',
  symbol: 'EURUSD',
  type: 'buy_limit',
  volume: '0.20',
  price: '1.04000',
  stop_loss: '1.03000',
  take_profit: null,
  magic: '0',
  comment: '',
  placed_at: '2026-11-27T07:10:00.000Z',
};

export const ACCOUNT = {
  login: '5001',
  server: 'Harbour-Demo',
  trading_allowed: true,
  currency: 'USD',
  currency_digits: 2,
  leverage: 100,
  margin_mode: 'hedging',
  balance: '10000.00',
  credit: '0.00',
  equity: '10001.00',
  profit: '1.00',
  margin: '105.00',
  free_margin: '9896.00',
  margin_level: '9524.76',
  positions: [POSITION],
  orders: [ORDER],
};

export const TERMINAL = {
  connected: true,
  build: 5430,
  trade_allowed: true,
  program_trade_allowed: true,
  server_offset_seconds: 7200,
};

export const SYMBOLS = [
  { name: 'EURUSD', digits: 5, bid: '1.05010', ask: '1.05020', trade_mode: 4, filling: 2, time_msc: 1 },
];

export interface Known {
  account?: Json | null;
  terminal?: Json;
  symbols?: Json[];
  charts?: Json[];
}

/** What a terminal knows, from what is usual and what is not. */
export const toKnown = ({ account, terminal, symbols, charts }: Known): Json => ({
  terminal: { ...TERMINAL, ...terminal },
  account: account === null ? null : { ...ACCOUNT, ...account },
  symbols: symbols ?? SYMBOLS,
  charts: charts ?? [],
});

export const toDeal = (ticket: number, more: Json = {}): Json => ({
  ticket: String(ticket),
  order: String(ticket + 1000),
  position_id: '11',
  symbol: 'EURUSD',
  side: 'buy',
  entry: 'in',
  volume: '0.10',
  price: '1.05000',
  commission: '-0.35',
  swap: '0.00',
  profit: '0.00',
  magic: '77',
  comment: 'grid',
  at: new Date(BEGAN_MS - 3_600_000 + ticket).toISOString(),
  ...more,
});

export interface AccountFile {
  sequence: number;
  at: string;
  is_synchronized: boolean;
  equity: string;
  positions: Json[];
  [name: string]: unknown;
}

/** The link program as a process, whose time passes only when it is told to. */
export class LinkProcess {
  readonly lines: string[] = [];
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcessWithoutNullStreams;
  #onLine: () => void = () => undefined;
  #count = 0;

  private constructor(
    readonly folder: string,
    variant: Variant,
    beganMs: number,
  ) {
    this.#child = spawn(join(root, '.build/link', variant), [folder, String(beganMs)]);
    this.#child.stdin.on('error', () => undefined);
    this.ended = new Promise((resolve) => this.#child.on('close', (code) => resolve(code)));
    void this.ended.then(() => this.#onLine());
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      if (line === 'ran') this.#count += 1;
      else this.lines.push(line);
      this.#onLine();
    });
  }

  /** @returns once it waits for its first moment */
  static async start(folder: string, variant: Variant = 'service', beganMs = BEGAN_MS): Promise<LinkProcess> {
    await mkdir(folder, { recursive: true });
    const process = new LinkProcess(folder, variant, beganMs);
    await process.#waitFor(1);
    return process;
  }

  know(known: Known): void {
    this.say(`look ${JSON.stringify(toKnown(known))}`);
  }

  say(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Lets time pass. */
  async run(ms: number): Promise<void> {
    const { ended } = this;
    const next = this.#count + 1;
    this.say(`run ${ms}`);
    await Promise.race([this.#waitFor(next), ended]);
  }

  async stop(): Promise<void> {
    this.say('stop');
    await this.ended;
  }

  kill(): Promise<unknown> {
    this.#child.kill('SIGKILL');
    return this.ended;
  }

  /** Of everything that the program did, the lines that begin so. */
  list(beginning: string): string[] {
    return this.lines.filter((line) => line.startsWith(beginning)).map((line) => line.slice(beginning.length));
  }

  listTrades(): Json[] {
    return this.list('trade ').map((line) => JSON.parse(line) as Json);
  }

  async read<Content = Json>(name: string): Promise<Content> {
    return JSON.parse(await readFile(join(this.folder, 'Berth', name), 'utf8')) as Content;
  }

  account(): Promise<AccountFile> {
    return this.read<AccountFile>('account.json');
  }

  async write(name: string, content: unknown): Promise<void> {
    const path = join(this.folder, 'Berth', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
  }

  async listFiles(name: string): Promise<string[]> {
    return (await readdir(join(this.folder, 'Berth', name))).sort();
  }

  #waitFor(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onLine = () => {
        if (this.#count >= count) resolve();
      };
      this.#onLine();
    });
  }
}
