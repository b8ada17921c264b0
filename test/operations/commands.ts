/** The commands of docs/operating.md as processes, with nothing of the environment but what they are given. */
import { fileURLToPath } from 'node:url';
import { spawnProcess, type SpawnedProcess } from '@berth/testing';

const toProgram = (name: string): string =>
  fileURLToPath(new URL(`../../apps/server/dist/${name}.js`, import.meta.url));

export type Program =
  'main' | 'backup-main' | 'restore-main' | 'operator-main' | 'operator-password-main' | 'databases-main';

/** Starts one of the server's programs; `endProcesses` ends it at the latest. */
export const startProgram = (name: Program, environment: Record<string, string>, ...args: string[]): SpawnedProcess => {
  const { PATH = '', TMPDIR } = process.env;
  const env = { PATH, BERTH_LOG_LEVEL: 'warn', ...(TMPDIR === undefined ? {} : { TMPDIR }), ...environment };
  return spawnProcess(process.execPath, [toProgram(name), ...args], { env });
};

/** Runs it to its end. */
export const runProgram = async (
  name: Program,
  environment: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; output: string }> => {
  const program = startProgram(name, environment, ...args);
  const { code } = await program.ended;
  return { code, output: program.output };
};
