/** Terminals of the stand-in on a desktop, each in a folder on its drive C: what they are given, and what they write. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endProcesses, startTestTradingServer, waitFor, type SpawnedProcess } from '@berth/testing';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { openDesktop, type Control, type Desktop, type WindowsWindow } from './desktop.ts';
import { listPrefixProcesses, readFolder } from './test-prefix.ts';
import { buildWindowsPrograms, standInTerminal, standInTerminal64 } from './windows-programs.ts';

export const SERVER = 'Harbour-Demo';

/** The one of this file's tests, from `useStandInDesktop` on. */
export let desktop: Desktop;
export let address: string;
let count = 0;

export const toUtf16 = (text: string): Buffer => Buffer.from(`\ufeff${text.replaceAll('\n', '\r\n')}`, 'utf16le');

/** A terminal's folder on C:, and what is in it. */
export class Folder {
  readonly name = `t${++count}`;
  readonly path = join(desktop.driveC, this.name);
  readonly isMt4: boolean;

  constructor({ isMt4 = false } = {}) {
    this.isMt4 = isMt4;
    mkdirSync(this.path);
    copyFileSync(isMt4 ? standInTerminal() : standInTerminal64, join(this.path, this.program));
    this.write('config/servers.txt', `${SERVER}=${address}\n`);
  }

  get program(): string {
    return this.isMt4 ? 'terminal.exe' : 'terminal64.exe';
  }

  write(file: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true });
    writeFileSync(join(this.path, file), content);
  }

  read(file: string): string {
    const bytes = readFileSync(join(this.path, file));
    return bytes[0] === 0xff ? bytes.toString('utf16le', 2) : bytes.toString('utf8');
  }

  /** All lines of a folder of day files. */
  lines(folder = 'logs'): string[] {
    const path = join(this.path, folder);
    const files = existsSync(path) ? readdirSync(path).filter((file) => /^\d{8}\.log$/.test(file)) : [];
    return files.sort().flatMap((file) => this.read(`${folder}/${file}`).split('\r\n').slice(0, -1));
  }

  /** Waits for a line of the journal that holds the text; one that comes after `from` lines. */
  async waitFor(text: string | RegExp, folder = 'logs', from = 0): Promise<string> {
    const fits = (line: string): boolean => (typeof text === 'string' ? line.includes(text) : text.test(line));
    return waitFor(() => this.lines(folder).slice(from).find(fits), {
      what: `the line ${String(text)}`,
      timeoutMs: 60_000,
    });
  }

  faults(text: string): void {
    this.write('berth-faults.ini', `[faults]\r\n${text}\r\n`);
  }

  /** A start file at the root of C:, and the argument that names it. */
  config(text: string): string {
    writeFileSync(join(desktop.driveC, `${this.name}.ini`), text);
    return this.isMt4 ? `C:\\${this.name}.ini` : `/config:C:\\${this.name}.ini`;
  }

  start(...args: string[]): SpawnedProcess {
    return desktop.start(`C:\\${this.name}\\${this.program}`, ['/portable', ...args], this.path);
  }

  async window(): Promise<WindowsWindow> {
    return desktop.waitForWindow(({ class: name }) => name === 'BerthStandInTerminal', 'the main window');
  }

  async stop(process: SpawnedProcess): Promise<void> {
    await desktop.get({ op: 'close', window: (await this.window()).handle });
    expect(await process.ended).toEqual({ code: 0, signal: null });
  }

  pids(): number[] {
    return listPrefixProcesses(desktop.prefix).filter((pid) => readFolder(pid) === this.path);
  }
}

export const loginFile = (login: string, password = 'trade-me', extra = ''): string =>
  `[Common]\nLogin=${login}\nPassword=${password}\nServer=${SERVER}\nKeepPrivate=1\n${extra}`;

export const chart = (symbol: string, expert?: string): Buffer =>
  toUtf16(
    `<chart>\nid=131000000000009\nsymbol=${symbol}\nperiod_type=0\nperiod_size=15\nwindows_total=1\nodd_key=kept\n${
      expert
        ? `<expert>\nname=${expert}\npath=Experts\\${expert}.ex5\nexpertmode=33\n<inputs>\nLots=0.10\n</inputs>\n</expert>\n`
        : ''
    }<window>\nheight=100.000000\n</window>\n</chart>\n`,
  );

export const find = (controls: Control[], fits: (control: Control) => boolean): Control => {
  const control = controls.find(fits);
  if (!control) throw new Error('there is no such control');
  return control;
};

/** Opens a desktop with a trading server for the tests of a file, and ends each test's terminals. */
export const useStandInDesktop = (): void => {
  beforeAll(async () => {
    buildWindowsPrograms('stand-in');
    desktop = await openDesktop();
    const network = join(desktop.driveC, 'network');
    startTestTradingServer(join(desktop.driveC, 'broker'), network);
    address = await waitFor(() => existsSync(network) && readFileSync(network, 'utf8').trim());
  });
  afterEach(async () => {
    for (const pid of listPrefixProcesses(desktop.prefix)) {
      if (!/\/t\d+$/.test(readFolder(pid) ?? '')) continue;
      process.kill(pid, 'SIGKILL');
      await waitFor(() => readFolder(pid) === undefined);
    }
  });
  afterAll(async () => {
    await desktop.close();
    await endProcesses();
  });
};
