/** The boxes of an agent's terminals, according to the kernel's data about its processes. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listProcesses, openAgentLauncher, openTerminal } from '@berth/testing/wine-terminals';
import { windowProgram } from './windows-programs.ts';

export interface HostBox {
  folder: string;
  inside: { pid: number; command: string[] }[];
  /** What the box hangs on. */
  outside: { pid: number }[];
}

export const listHostBoxes = async (directory: string): Promise<HostBox[]> => {
  const terminals = join(directory, 'host', 'terminals');
  const launcher = openAgentLauncher(directory, dirname(windowProgram));
  const names = readdirSync(terminals).filter((name) => /^[\da-f-]{36}$/.test(name));
  return Promise.all(
    names.map(async (name) => {
      const folder = join(terminals, name);
      return { folder, ...(await listProcesses(openTerminal(launcher, folder))) };
    }),
  );
};
