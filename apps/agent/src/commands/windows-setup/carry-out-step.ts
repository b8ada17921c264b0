import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { SetupStep } from '../../launchers/windows/windows-setup.ts';

/** Copies a program of the release, if it matches the release's checksum. */
const copyProgram = async (from: string, to: string): Promise<void> => {
  const sum = createHash('sha256')
    .update(await readFile(from))
    .digest('hex');
  const expected = (await readFile(`${from}.sha256`, 'utf8')).split(' ')[0];
  if (sum !== expected)
    throw new Error(`${from} is not the program that its checksum names. Take it from the release anew.`);
  await copyFile(from, to).catch((cause: unknown) => {
    throw new Error(`${to} cannot be replaced while it runs. Take it away first: windows-setup --remove --run`, {
      cause,
    });
  });
};

const runCommand = async (file: string, args: readonly string[], accepted: readonly number[]): Promise<void> => {
  try {
    await promisify(execFile)(file, args, { windowsHide: true });
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code === 'number' && accepted.includes(code)) return;
    throw new Error(`${stdout}${stderr}`.trim() || `it ended with ${String(code)}`, { cause: error });
  }
};

/** Carries out one step of the setup. Rejects with Windows' error message. */
export const carryOutStep = async (step: SetupStep): Promise<void> => {
  switch (step.kind) {
    case 'folder':
      return void (await mkdir(step.path, { recursive: true }));
    case 'copy':
      return copyProgram(step.from, step.to);
    case 'file':
      return writeFile(step.path, step.content);
    case 'command':
      return runCommand(step.command.file, step.command.args, step.accepted);
  }
};
