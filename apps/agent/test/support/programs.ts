import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const cache = join(root, 'node_modules', '.cache');

/** Bundles programs as the build does. @returns the folder of the bundles, and how to remove it */
export const bundle = async (entries: string[]): Promise<{ folder: string; remove: () => void }> => {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'berth-agent-test-'));
  // A program finds its manifest one folder up, as in apps/agent.
  copyFileSync(join(root, 'apps/agent/package.json'), join(folder, 'package.json'));
  await build({
    entryPoints: entries.map((entry) => join(root, 'apps/agent', entry)),
    outdir: join(folder, 'dist'),
    entryNames: '[name]',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // As in the build: packages of others are loaded, not bundled.
    external: ['pino', 'pngjs', 'typebox', 'typebox/*', 'proxy-from-env'],
    logLevel: 'silent',
  });
  return { folder: join(folder, 'dist'), remove: () => rmSync(folder, { recursive: true }) };
};

export interface Program {
  child: ChildProcess;
  /** Everything it wrote. */
  output: () => string;
  /** What it wrote to stdout alone. */
  stdout: () => string;
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | string>;
}

export const run = (
  file: string,
  env: Record<string, string>,
  { hasIpc = false, args = [] as string[] } = {},
): Program => {
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...(hasIpc ? (['ipc'] as const) : [])];
  const child = spawn(process.execPath, [file, ...args], { env: { PATH: '/usr/bin:/bin', ...env }, stdio });
  let text = '';
  let answer = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    answer += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  // After a disconnect of the channel there is no 'close'; without one, 'close' comes when the output is complete.
  const ended = once(child, hasIpc ? 'exit' : 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return { child, output: () => text, stdout: () => answer, ended };
};
