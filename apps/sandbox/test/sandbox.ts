import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@berth/testing/wait-for';
import { afterEach, beforeEach } from 'vitest';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const dist = join(repository, 'apps/sandbox/dist');

/** Builds the programs where that has not happened yet. */
export const ensureBuilt = (): void => {
  if (!existsSync(join(dist, 'terminal-main.js'))) {
    execFileSync(process.execPath, [join(repository, 'script/build.mjs')], { stdio: 'inherit' });
  }
};

export interface Exit {
  code: number | null;
  signal: string | null;
}

export const toExit = (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));

const readDayFiles = (folder: string, encoding: 'utf16le' | 'utf8'): string[] => {
  if (!existsSync(folder)) return [];
  const text = readdirSync(folder)
    .filter((name) => /^\d{8}\.log$/.test(name))
    .sort()
    .map((name) =>
      readFileSync(join(folder, name))
        .toString(encoding)
        .replace(/^\ufeff/, ''),
    )
    .join('');
  return text.split('\r\n').slice(0, -1);
};

/** The lines of a terminal's journal, whichever process of its folder wrote them. */
export const readJournal = (root: string): string[] => readDayFiles(join(root, 'logs'), 'utf16le');
export const readExpertsJournal = (root: string): string[] => readDayFiles(join(root, 'MQL5/Logs'), 'utf16le');
export const readMt4Journal = (root: string): string[] => readDayFiles(join(root, 'logs'), 'utf8');

export const waitForLine = (root: string, text: string, read = readJournal): Promise<unknown> =>
  waitFor(() => read(root).some((line) => line.includes(text)), { what: `"${text}" in the journal` });

export type Reply = Record<string, unknown> & { ok: boolean };

/** Sends one line to a display and reads one line back. */
export const askDisplay = (path: string, request: object): Promise<Reply> =>
  new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(path, () => socket.write(`${JSON.stringify(request)}\n`));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the display hung up')));
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (!text.endsWith('\n')) return;
      resolve(JSON.parse(text) as Reply);
      socket.destroy();
    });
  });

export interface StartOptions {
  args?: string[];
  faults?: object;
  env?: Record<string, string>;
  isPortable?: boolean;
}

export interface RunningTerminal {
  child: ChildProcess;
  exit: Promise<Exit>;
  ask: (request: object) => Promise<Reply>;
  /** Asks it to close and waits until it is gone. */
  stop: () => Promise<Exit>;
  kill: () => Promise<Exit>;
}

export interface RunningServer {
  child: ChildProcess;
  exit: Promise<Exit>;
  address: string;
  stop: () => Promise<Exit>;
}

/** A folder with a drive, a trading server and terminals; `close` ends every process that lives in it. */
export class Sandbox {
  readonly folder = mkdtempSync(join(tmpdir(), 'bs-'));
  readonly driveC = join(this.folder, 'c');
  readonly networkFile = join(this.folder, 'network');
  readonly #children: ChildProcess[] = [];
  #sockets = 0;

  constructor() {
    ensureBuilt();
    mkdirSync(this.driveC);
  }

  async startServer(env: Record<string, string> = {}): Promise<RunningServer> {
    const child = this.#spawn('trading-server-main.js', [], {
      BERTH_SANDBOX_DATA: join(this.folder, 'server'),
      BERTH_SANDBOX_NETWORK: this.networkFile,
      ...env,
    });
    const exit = toExit(child);
    const ready = await new Promise<{ address: string }>((resolve, reject) => {
      child.once('message', (message) => resolve(message as { address: string }));
      child.once('exit', () => reject(new Error('the trading server did not start')));
    });
    const stop = (): Promise<Exit> => (child.kill('SIGTERM'), exit);
    return { child, exit, address: ready.address, stop };
  }

  /** Runs the installer. Returns the terminal's folder. */
  install(name = 't', ...switches: string[]): string {
    const root = join(this.driveC, name);
    execFileSync(process.execPath, [join(dist, 'setup-main.js'), '/auto', `/path:${root}`, ...switches]);
    return root;
  }

  /** Writes a start file to C:\ and returns the switch that names it. */
  writeStartFile(text: string, name = 'x.ini'): string {
    writeFileSync(join(this.driveC, name), text);
    return `/config:C:\\${name}`;
  }

  startTerminal(
    root: string,
    { args = [], faults = {}, env = {}, isPortable = true }: StartOptions = {},
  ): RunningTerminal {
    const display = join(this.folder, `${(this.#sockets += 1)}.sock`);
    const settings = {
      BERTH_SANDBOX_DRIVE_C: this.driveC,
      BERTH_SANDBOX_NETWORK: this.networkFile,
      BERTH_SANDBOX_DISPLAY: display,
      BERTH_SANDBOX_FAULTS: JSON.stringify(faults),
      ...env,
    };
    const child = this.#spawn('terminal-main.js', [...(isPortable ? ['/portable'] : []), ...args], settings, root);
    const exit = toExit(child);
    const ask = async (request: object): Promise<Reply> => {
      await waitFor(() => existsSync(display), { what: 'the display' });
      return askDisplay(display, request);
    };
    const end = (signal: NodeJS.Signals): Promise<Exit> => (child.kill(signal), exit);
    return { child, exit, ask, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
  }

  /** Logs a terminal in and returns it once the journal says so. */
  async login(
    root: string,
    startFile: Partial<Record<'common' | 'experts' | 'startUp', string>> = {},
    options: StartOptions = {},
  ) {
    const { common = '', experts = '', startUp = '' } = startFile;
    const account = `[Common]\r\nLogin=1001\r\nPassword=right-horse\r\nServer=Test-Server\r\n${common}\r\n`;
    const text = `${account}[Experts]\r\n${experts}\r\n[StartUp]\r\n${startUp}\r\n`;
    const config = this.writeStartFile(text);
    const terminal = this.startTerminal(root, { ...options, args: [config, ...(options.args ?? [])] });
    await waitForLine(root, 'terminal synchronized with');
    return terminal;
  }

  /** Process ids of what runs in a folder, found the way a supervisor would. */
  listProcessesIn(root: string): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          return readlinkSync(`/proc/${pid}/cwd`) === root;
        } catch {
          return false;
        }
      });
  }

  async close(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exit = toExit(child);
      child.kill('SIGKILL');
      await exit;
    }
    for (const name of readdirSync(this.driveC)) {
      for (const pid of this.listProcessesIn(join(this.driveC, name))) process.kill(pid, 'SIGKILL');
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #spawn(program: string, args: string[], env: Record<string, string>, cwd = this.folder): ChildProcess {
    const child = spawn(process.execPath, [join(dist, program), ...args], {
      cwd,
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#children.push(child);
    return child;
  }
}

/** That of the test under way, from `useSandbox` or `useTerminal` on. */
export let sandbox: Sandbox;
/** The folder of its terminal, from `useTerminal` on. */
export let root: string;

/** Gives each test of a file a sandbox of its own. */
export const useSandbox = (): void => {
  beforeEach(() => {
    sandbox = new Sandbox();
  });
  afterEach(() => sandbox.close());
};

const installTerminal = async (switches: string[], hasServer: boolean): Promise<void> => {
  root = sandbox.install('t', ...switches);
  if (hasServer) await sandbox.startServer();
};

/** Gives each test a terminal, too, and a trading server unless it is said otherwise. */
export const useTerminal = (switches: string[] = [], { hasServer = true } = {}): void => {
  useSandbox();
  beforeEach(() => installTerminal(switches, hasServer));
};

const toBytes = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

/** A text file as a terminal writes it. */
export const writeUtf16 = (path: string, text: string): void => writeFileSync(path, toBytes(text));
export const readUtf16 = (path: string): string =>
  readFileSync(path)
    .toString('utf16le')
    .replace(/^\ufeff/, '');

export const toChartText = (symbol: string, expert = ''): string =>
  [
    '<chart>',
    `symbol=${symbol}`,
    'period_type=0',
    'period_size=15',
    'windows_total=1',
    ...(expert === ''
      ? []
      : [
          '<expert>',
          `name=${expert}`,
          `path=Experts\\${expert}.ex5`,
          'expertmode=33',
          '<inputs>',
          'Lots=0.10',
          '</inputs>',
          '</expert>',
        ]),
    '<window>',
    'height=100.000000',
    '</window>',
    '</chart>',
    '',
  ].join('\r\n');

export const profileFolder = (root: string): string => join(root, 'MQL5/Profiles/Charts/Default');

/** Puts a chart into the default profile of a stopped terminal. */
export const addChart = (root: string, file: string, text: string): void => {
  writeUtf16(join(profileFolder(root), file), text);
  const order = join(profileFolder(root), 'order.wnd');
  writeUtf16(order, `${existsSync(order) ? readUtf16(order) : ''}${file}\r\n`);
};

export const addExpert = (root: string, name: string): void =>
  writeFileSync(join(root, `MQL5/Experts/${name}.ex5`), 'EX5');
