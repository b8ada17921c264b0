/** The commands of a host as processes, with an agent's folder of their own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rootDir } from './windows-programs.ts';

export const agentProgram = join(rootDir, 'apps/agent/dist/main.js');

export interface CommandProcess {
  child: ChildProcess;
  /** What it wrote so far. */
  stdout: () => string;
  stderr: () => string;
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | string>;
}

/** A folder on the disk, for what an agent keeps. */
export const createAgentFolder = (): string => {
  mkdirSync(join(rootDir, '.build'), { recursive: true });
  return mkdtempSync(join(rootDir, '.build/agent-'));
};

export const removeAgentFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** Starts `script/agent …` without what the script does before. */
export const startCommand = (
  folder: string,
  args: readonly string[],
  { input = '', environment = {} }: { input?: string; environment?: Record<string, string> } = {},
): CommandProcess => {
  const env = { PATH: process.env.PATH, BERTH_AGENT_DIR: folder, TERM: 'xterm', ...environment };
  const child = spawn(process.execPath, [agentProgram, ...args], { env, cwd: folder, stdio: 'pipe' });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  // It may end without having read anything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
};

/** Runs it to its end. */
export const runCommand = async (folder: string, args: readonly string[], input?: string) => {
  const command = startCommand(folder, args, input === undefined ? {} : { input });
  const code = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
};
