/** Where the tests of the launcher for Wine have their terminals. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { waitFor } from '@berth/testing/wait-for';
import { expect } from 'vitest';
import { listTracesOf } from './box-traces.ts';
import { ensureTestPrefix } from './test-prefix.ts';
import { buildWindowsPrograms, windowProgram } from './windows-programs.ts';

/** Of the window program. */
export const programFolder = dirname(windowProgram);

/** Makes what all of these tests need. @returns the prefix of their bases */
export const prepareLauncher = async (): Promise<string> => {
  buildWindowsPrograms('window');
  return ensureTestPrefix();
};

export const createLauncherFolder = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), 'berth-wine-')));

/**
 * By then nothing of its boxes may be left on the host, except for the `du` of an agent that represents a killed one.
 */
export const removeLauncherFolder = async (folder: string): Promise<void> => {
  await waitFor(() => !listTracesOf(folder).some((trace) => /^\d+: (nice -n 19 )?du /.test(trace)));
  expect(listTracesOf(folder)).toEqual([]);
  await rm(folder, { recursive: true });
};
