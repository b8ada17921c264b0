import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fork, type ChildProcess, execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { TaskType, TerminalStatus, type DeliveredTask } from '@berth/contract';
import { createLogger } from '@berth/kit';
import { waitFor } from '@berth/testing/wait-for';
import { afterAll, beforeAll } from 'vitest';
import type { Launcher } from '../../src/launchers/launcher.ts';
import { createProcessLauncher } from '../../src/launchers/process/process-launcher.ts';
import { createPlatformRegistry } from '../../src/platform-registry.ts';
import type {
  AttemptOutcome,
  Observation,
  TaskAccount,
  TaskFiles,
  TerminalDriver,
} from '../../src/platforms/driver.ts';
import { SandboxEdition } from '../../src/platforms/metatrader/editions/sandbox/sandbox-edition.ts';
import type { TerminalRecord } from '../../src/platforms/metatrader/record.ts';
import type { EditionTiming, Edition } from '../../src/platforms/metatrader/edition.ts';
import { mt4Dialect } from '../../src/platforms/metatrader/dialect.ts';
import { ensureBaseInstall } from '../../src/platforms/metatrader/editions/base-install.ts';

/**
 * The sandbox's terminal as MetaTrader 4: the same program in a folder with `terminal.exe`. Only tests have it. It shows that the
 * driver's other dialect does all that the first one does; what a real terminal's window wants is an edition of its own.
 */
export const createMt4Edition = (
  sandbox: Edition,
  { programFolder, baseFolder }: { programFolder: string; baseFolder: string },
): Edition => ({
  platform: 'mt4',
  dialect: mt4Dialect,
  folderName: 'mt4',
  timing: sandbox.timing,
  ensureBase: () =>
    ensureBaseInstall({
      folder: baseFolder,
      version: 'sandbox-mt4',
      install: async (base) => {
        const root = join(base, 'mt4');
        await mkdir(root);
        const setup = join(programFolder, 'setup-main.js');
        await promisify(execFile)(process.execPath, [setup, '/auto', `/path:${root}`, '/mt4'], { env: {} });
      },
    }),
  toProgram: (root) => sandbox.toProgram(root),
  toEnvironment: (surroundings) => sandbox.toEnvironment(surroundings),
  window: (screen) => sandbox.window(screen),
  findShowAllSymbols: () => sandbox.findShowAllSymbols(),
  findBrokerEndpoint: () => sandbox.findBrokerEndpoint(),
  findPinnedBuild: async () => null,
});

const programFolder = fileURLToPath(new URL('../../../sandbox/dist', import.meta.url));

export interface HostOptions {
  /** Troubles that the terminals act out. */
  faults?: Record<string, unknown>;
  timing?: Partial<EditionTiming>;
  launcher?: Launcher;
  /** The sandbox's terminal speaks like MetaTrader 4. */
  isMt4?: boolean;
}

/** Files of tasks, kept in memory as the server would keep them. */
export class MemoryFiles implements TaskFiles {
  readonly contents = new Map<string, Buffer>();
  /** What an upload is refused with. */
  refusal: Error | undefined;

  add(content: Buffer | string): string {
    const id = randomUUID();
    this.contents.set(id, Buffer.from(content));
    return id;
  }

  async download(fileId: string): Promise<Buffer> {
    const content = this.contents.get(fileId);
    if (!content) throw new Error('File not found.');
    return content;
  }

  async upload(name: string, content: Buffer) {
    if (this.refusal) throw this.refusal;
    const id = this.add(content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { id, url: `/v1/my/files/${id}/content`, sha256, size: content.length, type: 'image/png', name };
  }
}

/** A terminal under test with what it has reported. */
export class TestTerminal {
  readonly id: string;
  readonly observed: Observation[] = [];
  driver: TerminalDriver;
  readonly files = new MemoryFiles();
  account = { login: '5001', server_name: 'Test-Demo', password: 'first-secret' };

  constructor(id: string, driver: TerminalDriver) {
    this.id = id;
    this.driver = driver;
    this.listen();
  }

  listen(): void {
    this.driver.onObservation((observation) => this.observed.push(observation));
  }

  get statuses(): number[] {
    return this.observed.map(({ status }) => status);
  }

  run(
    type: TaskType,
    payload: Record<string, unknown> = {},
    {
      secrets = {},
      signal = new AbortController().signal,
    }: { secrets?: Record<string, unknown>; signal?: AbortSignal } = {},
  ): Promise<AttemptOutcome> {
    const { login, server_name } = this.account;
    const terminal = { id: this.id, platform: 'sandbox' as const, status: TerminalStatus.PENDING, server_name, login };
    const task: DeliveredTask = {
      id: randomUUID(),
      fence: 1,
      type,
      terminal,
      payload,
      secrets,
      running_deadline_ms: 60_000,
    };
    const log = createLogger({ name: 'test', level: 'silent' });
    return this.driver.carryOut({ task, files: this.files, account: this.taskAccount, signal, log });
  }

  /** What tasks find of its account; undefined, as on a host that reads none. */
  taskAccount: TaskAccount | undefined;

  /** Installs an expert on a chart, `Rider` on EURUSD,H1 unless the payload says another. */
  installExpert(
    { program = 'program one', ...payload }: { program?: string } & Record<string, unknown> = {},
    options?: { signal: AbortSignal },
  ): Promise<AttemptOutcome> {
    const place = { name: 'Rider', symbol: 'EURUSD', period: 'H1' };
    const file_id = payload.file_id ?? this.files.add(program);
    return this.run(TaskType.EA_INSTALL, { ...place, ...payload, file_id }, options);
  }

  install(signal?: AbortSignal): Promise<AttemptOutcome> {
    const secrets = { password: this.account.password };
    return this.run(TaskType.TERMINAL_INSTALL, {}, { secrets, ...(signal ? { signal } : {}) });
  }
}

/** A trading server and a host that runs sandbox terminals against it, all in a folder of their own. */
export class SandboxHost {
  folder = '';
  networkFile = '';
  #server: ChildProcess | undefined;
  readonly #terminals: TestTerminal[] = [];

  async start(): Promise<void> {
    this.folder = await realpath(await mkdtemp(join(tmpdir(), 'berth-driver-')));
    this.networkFile = join(this.folder, 'network');
    this.#server = fork(join(programFolder, 'trading-server-main.js'), {
      env: { BERTH_SANDBOX_DATA: join(this.folder, 'broker'), BERTH_SANDBOX_NETWORK: this.networkFile },
      execArgv: [],
    });
    await once(this.#server, 'message');
  }

  createRegistry({ faults, timing, launcher = createProcessLauncher(), isMt4 = false }: HostOptions = {}) {
    const sandbox = new SandboxEdition({
      programFolder,
      baseFolder: join(this.folder, 'bases'),
      networkFile: this.networkFile,
      ...(faults ? { environment: { BERTH_SANDBOX_FAULTS: JSON.stringify(faults) } } : {}),
      ...(timing ? { timing } : {}),
    });
    const edition = isMt4
      ? createMt4Edition(sandbox, { programFolder, baseFolder: join(this.folder, 'bases') })
      : sandbox;
    const log = createLogger({ name: 'test', level: 'silent' });
    return createPlatformRegistry({ folder: join(this.folder, 'terminals'), offers: [{ edition, launcher }], log });
  }

  async createTerminal(options: HostOptions = {}): Promise<TestTerminal> {
    const id = randomUUID();
    const driver = await this.createRegistry(options).open({ id, platform: options.isMt4 ? 'mt4' : 'sandbox' });
    const terminal = new TestTerminal(id, driver);
    this.#terminals.push(terminal);
    return terminal;
  }

  /** A terminal that is installed, and logged in where its account is right. */
  async installTerminal(options?: HostOptions): Promise<TestTerminal> {
    const terminal = await this.createTerminal(options);
    const { kind, steps } = await terminal.install();
    if (kind !== 'completed') throw new Error(`The installation ended as ${kind}: ${JSON.stringify(steps.at(-1))}`);
    return terminal;
  }

  /** What is opened meanwhile has this file as its broker's. */
  async withNetworkFile<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
    const before = this.networkFile;
    this.networkFile = path;
    try {
      return await act();
    } finally {
      this.networkFile = before;
    }
  }

  /** The same terminal as a new run of the agent sees it. */
  async reopen(terminal: TestTerminal, options: HostOptions = {}): Promise<void> {
    terminal.driver.detach();
    terminal.driver = await this.createRegistry(options).open({
      id: terminal.id,
      platform: options.isMt4 ? 'mt4' : 'sandbox',
    });
    terminal.listen();
  }

  /** The installation of a terminal. */
  toRoot({ id }: Pick<TestTerminal, 'id'>, program: 'mt5' | 'mt4' = 'mt5'): string {
    return join(this.folder, 'terminals', id, 'drive_c', program);
  }

  /** Lines of the terminal's own, in the newest file of its journal. */
  say(terminal: Pick<TestTerminal, 'id'>, messages: readonly string[], program: 'mt5' | 'mt4' = 'mt5'): void {
    const folder = join(this.toRoot(terminal, program), 'logs');
    const [file = ''] = readdirSync(folder).sort().slice(-1);
    const beginning = program === 'mt4' ? '0\t12:00:00.000\t' : 'XX\t0\t12:00:00.000\tNetwork\t';
    const text = messages.map((message) => `${beginning}${message}\r\n`).join('');
    appendFileSync(join(folder, file), Buffer.from(text, program === 'mt4' ? 'utf8' : 'utf16le'));
  }

  async readRecord({ id }: TestTerminal): Promise<TerminalRecord> {
    const text = await readFile(join(this.folder, 'terminals', id, 'terminal.json'), 'utf8');
    return JSON.parse(text) as TerminalRecord;
  }

  async getPid(terminal: TestTerminal): Promise<number> {
    const { process: running } = await this.readRecord(terminal);
    if (!running) throw new Error('The terminal does not run');
    // As the launcher of plain processes names them.
    return parseInt(running.id, 10);
  }

  /** Kills a terminal, and waits until its driver has seen it. */
  async crash(terminal: TestTerminal): Promise<void> {
    process.kill(await this.getPid(terminal), 'SIGKILL');
    await waitFor(() => !terminal.driver.isAlive(), { what: 'the end of the terminal' });
  }

  async stopTerminals(): Promise<void> {
    for (const { driver } of this.#terminals) await driver.stop();
  }

  async close(): Promise<void> {
    await this.stopTerminals();
    if (!this.#server) return;
    const ended = once(this.#server, 'exit');
    this.#server.kill('SIGTERM');
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A host for all tests of a file; it is there from the first `beforeAll` on. */
export const useSandboxHost = (): SandboxHost => {
  const host = new SandboxHost();
  beforeAll(() => host.start());
  afterAll(() => host.close());
  return host;
};
