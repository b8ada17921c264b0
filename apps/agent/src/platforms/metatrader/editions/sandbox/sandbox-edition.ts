import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sleep } from '@berth/kit';
import type { Program, Screen } from '../../../../launchers/launcher.ts';
import { mt5Dialect } from '../../dialect.ts';
import type { Edition, EditionTiming, MainWindow, Surroundings } from '../../edition.ts';
import { ensureBaseInstall } from '../base-install.ts';
import { SandboxWindow } from './sandbox-window.ts';

export interface SandboxEditionOptions {
  /** The sandbox's bundled programs: `setup-main.js` and `terminal-main.js`. */
  programFolder: string;
  /** Where bases are kept. */
  baseFolder: string;
  /** The file to which the sandbox trading server writes its address. */
  networkFile: string;
  /** Further environment of the terminals, such as the time zone, or faults to act out. */
  environment?: Record<string, string>;
  timing?: Partial<EditionTiming>;
}

/** The sandbox answers in milliseconds; the limits are for a machine that is busy with hundreds of terminals. */
const SANDBOX_TIMING: EditionTiming = {
  startMs: 20_000,
  loginSilenceMs: 2_500,
  expertLoadMs: 10_000,
  expertSettleMs: 500,
  expertSpokenMs: 200,
  scriptMs: 20_000,
  toggleMs: 3_000,
  politeStopMs: 5_000,
  linkHoldMs: 300,
  reloadMs: 500,
  exitSettleMs: 300,
  updateSettleMs: 20_000,
};
/** Shorter than `expertSettleMs`, so that a missing symbol shows while the expert is still watched. */
const SYMBOL_TIMEOUT_MS = 100;

const TERMINAL = 'terminal-main.js';
const SETUP = 'setup-main.js';
const SCRIPT_MARKER = 'Stands for the compiled ShowAllSymbols script; the Berth sandbox acts it out.\r\n';

/** A broker that is started at the same time as the agent may need a moment to write its file. */
const PATIENCE_MS = 5_000;
const POLL_MS = 100;

/** The address in the text of a network file; undefined where there is none. */
const toEndpoint = (text: string): { host: string; port: number } | undefined => {
  const [, host, port] = /^\[?([^\s[\]]+?)\]?:(\d{1,5})$/.exec(text.trim()) ?? [];
  return host !== undefined && Number(port) >= 1 && Number(port) <= 65_535 ? { host, port: Number(port) } : undefined;
};

/**
 * A problem with the file in which the sandbox broker states its address, for a person: with a wrong one every terminal
 * would be without a broker, without any explanation. @returns undefined for a valid one
 */
export const findNetworkFileMistake = async (path: string): Promise<string | undefined> => {
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(POLL_MS)) {
    try {
      const text = await readFile(path, 'utf8');
      return toEndpoint(text)
        ? undefined
        : `${path} does not hold the address of a broker, a line like 127.0.0.1:4433.`;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') return `${path} cannot be read (${code ?? 'unknown'}).`;
      if (performance.now() >= deadline) return `${path} does not exist. Start the sandbox broker first.`;
    }
  }
};

/** Berth's own terminal, a program of Node: it imitates MetaTrader 5 in a folder of its own that it calls `C:\`. */
export class SandboxEdition implements Edition {
  readonly platform = 'sandbox';
  readonly dialect = mt5Dialect;
  readonly folderName = 'mt5';
  readonly timing: EditionTiming;
  readonly #options: SandboxEditionOptions;
  #base: Promise<string> | undefined;

  constructor(options: SandboxEditionOptions) {
    this.#options = options;
    this.timing = { ...SANDBOX_TIMING, ...options.timing };
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

  toProgram(root: string): Program {
    return { command: [process.execPath, this.#toFile(TERMINAL)], folder: root, mark: TERMINAL };
  }

  toEnvironment({ box, screenAddress }: Surroundings): Record<string, string> {
    return {
      // Journals are written in local time: the terminal's day must be ours. (A TZ like `UTC-3` has no name here.)
      TZ: Intl.DateTimeFormat().resolvedOptions().timeZone,
      BERTH_SANDBOX_FAULTS: JSON.stringify({ symbol_timeout_ms: SYMBOL_TIMEOUT_MS }),
      ...this.#options.environment,
      BERTH_SANDBOX_DRIVE_C: box.home,
      BERTH_SANDBOX_NETWORK: this.#options.networkFile,
      BERTH_SANDBOX_DISPLAY: screenAddress,
    };
  }

  window(screen: Screen): MainWindow {
    return new SandboxWindow(screen);
  }

  async findShowAllSymbols(): Promise<Buffer> {
    return Buffer.from(SCRIPT_MARKER);
  }

  async findBrokerEndpoint(): Promise<{ host: string; port: number } | undefined> {
    return toEndpoint(await readFile(this.#options.networkFile, 'utf8').catch(() => ''));
  }

  async findPinnedBuild(): Promise<null> {
    return null;
  }

  async #installBase(): Promise<string> {
    const setup = this.#toFile(SETUP);
    const stamp = createHash('sha256')
      .update(this.folderName)
      .update(await readFile(setup))
      .digest('hex')
      .slice(0, 16);
    return ensureBaseInstall({
      folder: this.#options.baseFolder,
      version: `sandbox-${stamp}`,
      install: async (base) => {
        const root = join(base, this.folderName);
        await mkdir(root);
        await promisify(execFile)(process.execPath, [setup, '/auto', `/path:${root}`], { env: {} });
      },
    });
  }

  #toFile(name: string): string {
    return join(this.#options.programFolder, name);
  }
}
