import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  ScreenError,
  type DemoResult,
  type Launcher,
  type LauncherTiming,
  type ProcessIdentity,
  type TerminalHome,
} from '../launcher.ts';
import { findStartTicks, isSameProcess, listProcessesIn, signalProcess } from '../processes.ts';
import { ensureBaseInstall } from './base-install.ts';
import { askDisplay, type DisplayReply } from './display-client.ts';
import { toEndpoint } from './network-file.ts';

export interface SandboxLauncherOptions {
  /** The sandbox's bundled programs: `setup-main.js` and `terminal-main.js`. */
  programFolder: string;
  /** Where base installations are kept. */
  baseFolder: string;
  /** The file to which the sandbox trading server writes its address. */
  networkFile: string;
  /** Further environment of the terminals, such as the time zone, or faults to act out. */
  environment?: Record<string, string>;
  timing?: Partial<LauncherTiming>;
}

/** The sandbox answers in milliseconds; the allowances are for a machine that is busy with hundreds of terminals. */
const SANDBOX_TIMING: LauncherTiming = {
  startMs: 20_000,
  loginSilenceMs: 2_500,
  expertLoadMs: 10_000,
  expertSettleMs: 500,
  scriptMs: 20_000,
  toggleMs: 3_000,
  politeStopMs: 5_000,
  exitSettleMs: 300,
  updateSettleMs: 20_000,
};
/** Shorter than `expertSettleMs`, so that a missing symbol shows while the expert is still watched. */
const SYMBOL_TIMEOUT_MS = 100;
const SCREEN_TIMEOUT_MS = 20_000;
/** Opening a demo account ends with a login. */
const DEMO_TIMEOUT_MS = 60_000;

const SCRIPT_MARKER = 'Stands for the compiled ShowAllSymbols script; the Berth sandbox acts it out.\r\n';

/** A folder of our own for sockets: their paths must stay below 100 bytes, wherever the terminals live. */
const ensureSocketFolder = async (): Promise<string> => {
  const { uid } = userInfo();
  const folder = join(tmpdir(), `berth-${uid}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stats = await lstat(folder);
  if (!stats.isDirectory() || (uid >= 0 && stats.uid !== uid)) {
    throw new Error(`${folder} belongs to somebody else; set TMPDIR to a folder of your own`);
  }
  await chmod(folder, 0o700);
  return folder;
};

const toDisplayPath = async (home: TerminalHome): Promise<string> => {
  const name = createHash('sha256').update(home.folder).digest('hex').slice(0, 16);
  return join(await ensureSocketFolder(), `${name}.sock`);
};

const getField = (reply: DisplayReply, field: string): unknown => {
  if (!reply.ok) throw new ScreenError(`The terminal's screen refused: ${reply.error}.`);
  return reply[field];
};

const isDemoError = (error: string) => error === 'no_connection' || error === 'unknown_server' || error === 'refused';

/** Runs sandbox terminals: one Node process each, a socket as its screen. */
export class SandboxLauncher implements Launcher {
  readonly platform = 'sandbox';
  readonly timing: LauncherTiming;
  readonly #options: SandboxLauncherOptions;
  #base: Promise<string> | undefined;

  constructor(options: SandboxLauncherOptions) {
    this.#options = options;
    this.timing = { ...SANDBOX_TIMING, ...options.timing };
  }

  toHome(folder: string): TerminalHome {
    const driveC = join(folder, 'drive_c');
    return {
      folder,
      root: join(driveC, 'mt5'),
      startFile: { path: join(driveC, 'berth.ini'), windowsPath: 'C:\\berth.ini' },
    };
  }

  async ensureBase(): Promise<string> {
    this.#base ??= this.#installBase();
    try {
      return await this.#base;
    } catch (error) {
      this.#base = undefined;
      throw error;
    }
  }

  async start(home: TerminalHome, args: readonly string[]): Promise<ProcessIdentity> {
    const faults = JSON.stringify({ symbol_timeout_ms: SYMBOL_TIMEOUT_MS });
    const child = spawn(process.execPath, [this.#toProgram('terminal-main.js'), ...args], {
      cwd: home.root,
      detached: true,
      stdio: 'ignore',
      env: {
        // Journals are written in local time: the terminal's day must be ours. (A TZ like `UTC-3` has no name here.)
        TZ: Intl.DateTimeFormat().resolvedOptions().timeZone,
        BERTH_SANDBOX_FAULTS: faults,
        ...this.#options.environment,
        BERTH_SANDBOX_DRIVE_C: join(home.folder, 'drive_c'),
        BERTH_SANDBOX_NETWORK: this.#options.networkFile,
        BERTH_SANDBOX_DISPLAY: await toDisplayPath(home),
      },
    });
    await once(child, 'spawn');
    child.unref();
    const pid = child.pid ?? 0;
    return { pid, startTicks: findStartTicks(pid) ?? 'ended', path: home.root };
  }

  isRunning(identity: ProcessIdentity): boolean {
    return isSameProcess(identity);
  }

  async findRunning(home: TerminalHome): Promise<ProcessIdentity | undefined> {
    const folder = await realpath(home.root).catch(() => undefined);
    const found = folder === undefined ? [] : await listProcessesIn(folder, 'terminal-main.js');
    return found[0] && { ...found[0], path: home.root };
  }

  close(identity: ProcessIdentity): void {
    signalProcess(identity, 'SIGTERM');
  }

  kill(identity: ProcessIdentity): void {
    signalProcess(identity, 'SIGKILL');
  }

  async captureScreen(
    home: TerminalHome,
    request: { width: number; height: number; chart: string | null },
  ): Promise<Buffer> {
    const png = getField(await this.#ask(home, { op: 'screenshot', ...request }), 'png');
    return Buffer.from(String(png), 'base64');
  }

  async openDemo(home: TerminalHome, form: object): Promise<DemoResult> {
    const reply = await this.#ask(home, { op: 'open_demo', ...form }, DEMO_TIMEOUT_MS);
    if (!reply.ok && isDemoError(reply.error)) return { ok: false, error: reply.error };
    return { ok: true, login: String(getField(reply, 'login')), password: String(getField(reply, 'password')) };
  }

  async listWebRequestUrls(home: TerminalHome): Promise<string[]> {
    const urls = getField(await this.#ask(home, { op: 'web_request_list' }), 'urls');
    return Array.isArray(urls) ? urls.map(String) : [];
  }

  async setWebRequestUrls(home: TerminalHome, urls: readonly string[]): Promise<void> {
    getField(await this.#ask(home, { op: 'web_request', urls }), 'ok');
  }

  async toggleAlgoTrading(home: TerminalHome): Promise<boolean> {
    getField(await this.#ask(home, { op: 'keys', keys: 'ctrl+e' }), 'ok');
    return true;
  }

  async findShowAllSymbols(): Promise<Buffer> {
    return Buffer.from(SCRIPT_MARKER);
  }

  async findBrokerEndpoint(): Promise<{ host: string; port: number } | undefined> {
    return toEndpoint(await readFile(this.#options.networkFile, 'utf8').catch(() => ''));
  }

  async release(home: TerminalHome): Promise<void> {
    await rm(await toDisplayPath(home), { force: true });
  }

  async #ask(home: TerminalHome, request: object, timeoutMs = SCREEN_TIMEOUT_MS): Promise<DisplayReply> {
    return askDisplay(await toDisplayPath(home), request, timeoutMs);
  }

  async #installBase(): Promise<string> {
    const setup = this.#toProgram('setup-main.js');
    const stamp = createHash('sha256')
      .update(await readFile(setup))
      .digest('hex')
      .slice(0, 16);
    return ensureBaseInstall({
      folder: this.#options.baseFolder,
      version: `sandbox-${stamp}`,
      install: async (folder) => {
        await promisify(execFile)(process.execPath, [setup, '/auto', `/path:${folder}`], { env: {} });
      },
    });
  }

  #toProgram(name: string): string {
    return join(this.#options.programFolder, name);
  }
}
