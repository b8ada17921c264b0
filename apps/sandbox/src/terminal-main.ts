import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EnvReader, sleep } from '@berth/kit';
import { encodeText } from './files/text-file.ts';
import { parseCommandLine } from './terminal/platform/command-line.ts';
import { listenOnDisplay } from './terminal/screen/display.ts';
import { frozenWindow } from './terminal/screen/hang.ts';
import { parseFaults, type Faults } from './terminal/start/faults.ts';
import { acquireInstanceLock } from './terminal/start/instance-lock.ts';
import { startTerminal, type Terminal } from './terminal/terminal.ts';

/** MetaTrader's code 10015 for a failed start, truncated to a unix exit code. */
const START_FAILED = 10015 & 0xff;

const env = new EnvReader(process.env);
const driveC = env.text('BERTH_SANDBOX_DRIVE_C');
const networkFile = env.text('BERTH_SANDBOX_NETWORK');
const displayPath = env.text('BERTH_SANDBOX_DISPLAY');

const readFaults = (): Faults => {
  try {
    return parseFaults(env.text('BERTH_SANDBOX_FAULTS'));
  } catch (error) {
    env.reject('BERTH_SANDBOX_FAULTS', `must be a JSON object (${String(error)})`);
    return parseFaults(undefined);
  }
};

/** Without /portable a terminal keeps its data in the user's profile, in a folder named after a hash of its own. */
const ensureDataFolder = (installFolder: string, isPortable: boolean): string => {
  if (isPortable) return installFolder;
  const name = createHash('md5').update(installFolder).digest('hex').toUpperCase();
  const folder = join(driveC ?? '', 'users/berth/AppData/Roaming/MetaQuotes/Terminal', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'origin.txt'), encodeText(installFolder, 'utf-16le'));
  return folder;
};

/** Starts this program again after the update, in a process that outlives this one. */
const restartAfterUpdate = ({ restartMs }: Faults): void => {
  const faults = JSON.stringify({ start_delay_ms: restartMs, skip_start_up: true });
  const options = { detached: true, stdio: 'ignore', env: { ...process.env, BERTH_SANDBOX_FAULTS: faults } } as const;
  spawn(process.execPath, process.argv.slice(1), options).unref();
};

/** Calls back once, at a polite request to close. */
const onCloseRequest = (close: () => void): void => {
  process.once('SIGTERM', close);
  process.once('SIGINT', close);
};

const run = async (faults: Faults): Promise<void> => {
  const installFolder = realpathSync(process.cwd());
  if (!(await acquireInstanceLock(installFolder))) return process.exit(0);

  if (faults.hang) {
    process.on('SIGTERM', () => {});
    process.on('SIGINT', () => {});
    if (displayPath) await listenOnDisplay(displayPath, frozenWindow);
    return;
  }
  const commandLine = parseCommandLine(process.argv.slice(2));
  const root = ensureDataFolder(installFolder, commandLine.portable);
  let closeDisplay = (): void => {};
  const exit = (): void => {
    closeDisplay();
    process.exit(0);
  };
  const options = { installFolder, root, driveC: realpathSync(driveC ?? ''), networkFile, commandLine, faults };
  const terminal: Terminal | undefined = startTerminal({ ...options, onClosed: exit });
  if (!terminal) return process.exit(START_FAILED);

  onCloseRequest(() => {
    terminal.close();
    exit();
  });
  const update = (): void => {
    terminal.closeForUpdate();
    restartAfterUpdate(faults);
    exit();
  };
  if (faults.liveUpdateAfterMs !== undefined) setTimeout(update, faults.liveUpdateAfterMs);
  if (faults.crashAfterMs !== undefined) setTimeout(() => process.kill(process.pid, 'SIGKILL'), faults.crashAfterMs);
  if (displayPath) closeDisplay = await listenOnDisplay(displayPath, terminal.commands);
};

const faults = readFaults();
if (!driveC) env.reject('BERTH_SANDBOX_DRIVE_C', 'must name the folder that C:\\ stands for');
try {
  env.finish();
  mkdirSync(driveC ?? '', { recursive: true });
  await sleep(faults.startDelayMs);
  await run(faults);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
