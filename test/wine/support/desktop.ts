/** A screen, a window manager and a prefix of their own, in which a test runs real Windows programs. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnProcess, waitFor, type SpawnedProcess } from '@berth/testing';
import { clonePrefix, endPrefix, toWineEnvironment } from './test-prefix.ts';
import { buildWindowsPrograms, windowProgram } from './windows-programs.ts';
import { getLoader } from './wine-tools.ts';

export interface WindowsWindow {
  handle: string;
  class: string;
  title: string;
  enabled: boolean;
  owner: string | null;
  pid: number;
  program: string;
  rect: [number, number, number, number];
  hung: boolean;
}

export interface Control {
  handle: string;
  parent: string;
  id: number;
  class: string;
  text: string;
  secret?: boolean;
  enabled: boolean;
  visible: boolean;
  checked?: boolean;
  items?: string[];
  selected?: number;
}

/** A line of the answer file. */
export type Answer = { ok: boolean; error?: string; message?: string } & Record<string, unknown>;

export interface Desktop {
  prefix: string;
  driveC: string;
  environment: Record<string, string>;
  /** Starts a Windows program; `endProcesses` or `close` ends it. */
  start(program: string, args?: readonly string[], cwd?: string): SpawnedProcess;
  /** Starts a window program that stays running and gets its answers from its input. */
  stay(stdout: 'pipe' | 'ignore'): SpawnedProcess;
  /** Asks a window program that stays; one answer for each request, up to the first that is refused. */
  ask(...requests: (object | string)[]): Promise<Answer[]>;
  /** The answer of one request, which must not be refused. */
  get(request: object): Promise<Answer>;
  listWindows(): Promise<WindowsWindow[]>;
  /** Waits for a window that fits. */
  waitForWindow(fits: (window: WindowsWindow) => boolean, what: string): Promise<WindowsWindow>;
  listControls(window: string): Promise<Control[]>;
  /** Ends everything, and removes the folder. */
  close(): Promise<void>;
}

const WINDOW_PROGRAM = 'C:\\berth\\berth-window.exe';

export const readAnswers = (path: string): Answer[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Answer);

/** Opens a desktop; close it in `afterAll`. */
export const openDesktop = async (): Promise<Desktop> => {
  buildWindowsPrograms('window');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'berth-desktop-')));
  const prefix = join(folder, 'prefix');
  await clonePrefix(prefix);
  const driveC = join(prefix, 'drive_c');
  mkdirSync(join(driveC, 'berth/ask'), { recursive: true });
  copyFileSync(windowProgram, join(driveC, 'berth/berth-window.exe'));
  const screen = spawnProcess('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    cwd: folder,
  });
  const display = `:${(await screen.waitForLine(/^\d+$/))[0]}`;
  const environment = toWineEnvironment(prefix, display);
  const manager = spawnProcess('openbox', [], { cwd: folder, env: environment });
  let asked = 0;

  // First of all, because two programs that begin together in a new prefix could each start a server of their own.
  await spawnProcess('wineserver', ['-p'], { cwd: driveC, env: environment, stdio: 'ignore' }).ended;
  // The first program of a prefix starts Wine's own ones. They would keep our pipes open, so nobody gets any.
  const start = (program: string, args: readonly string[] = [], cwd = driveC): SpawnedProcess =>
    spawnProcess(getLoader(), [program, ...args], { cwd, env: environment, stdio: 'ignore' });
  const stay = (stdout: 'pipe' | 'ignore'): SpawnedProcess =>
    spawnProcess(getLoader(), [WINDOW_PROGRAM, 'stay'], {
      cwd: driveC,
      env: environment,
      stdio: ['pipe', stdout, 'ignore'],
    });
  let window: SpawnedProcess | undefined;
  const ask = async (...requests: (object | string)[]): Promise<Answer[]> => {
    const name = String(++asked);
    const answer = join(driveC, `berth/ask/${name}.ans`);
    const lines = requests.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    writeFileSync(join(driveC, `berth/ask/${name}.req`), `${lines.join('\n')}\n`);
    const { child } = (window ??= stay('ignore'));
    child.stdin?.write(`C:\\berth\\ask\\${name}.req\tC:\\berth\\ask\\${name}.ans\n`);
    await waitFor(() => existsSync(answer) || child.exitCode !== null, { what: 'the answer' });
    return readAnswers(answer);
  };
  const get = async (request: object): Promise<Answer> => {
    const [answer] = await ask(request);
    if (!answer?.ok) throw new Error(`${JSON.stringify(request)} was refused: ${JSON.stringify(answer)}`);
    return answer;
  };
  const listWindows = async (): Promise<WindowsWindow[]> => (await get({ op: 'windows' })).windows as WindowsWindow[];
  return {
    prefix,
    driveC,
    environment,
    start,
    stay,
    ask,
    get,
    listWindows,
    waitForWindow: (fits, what) => waitFor(async () => (await listWindows()).find(fits), { what }),
    listControls: async (window) => (await get({ op: 'controls', window })).controls as Control[],
    close: async () => {
      await endPrefix(prefix);
      for (const { child, ended } of [window, manager, screen].filter((one) => one !== undefined)) {
        child.kill('SIGTERM');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
