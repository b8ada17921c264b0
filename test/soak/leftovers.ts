/** What a run leaves behind: processes by the temporary folder in their environment, files by their paths, passwords (Linux only). */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { waitFor } from '@berth/testing';
import type { FarScene } from '../faults/far-scene.ts';

/** Every file and folder below, relative to it. */
export const listFiles = (folder: string): string[] => {
  const walk = (path: string): string[] =>
    readdirSync(path).flatMap((name) => {
      const found = join(path, name);
      return [found, ...(lstatSync(found).isDirectory() ? walk(found) : [])];
    });
  return walk(folder).map((path) => relative(folder, path));
};

/** What the instance and its host keep, apart from terminals; the database's own files are not ours to judge. */
export const listKept = ({ stack, terminals }: FarScene): string[] =>
  listFiles(stack.dataDir).filter(
    (path) => !path.startsWith('postgres') && !terminals.some(({ id }) => path.includes(id)),
  );

/** Processes whose environment names this temporary folder, apart from this one. */
export const listProcesses = (temporaryFolder: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        const isOurs = environment.includes(`TMPDIR=${temporaryFolder}`);
        return isOurs ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()}`] : [];
      } catch {
        // It ended while we looked, or belongs to somebody else.
        return [];
      }
    });

/** Settled, the scene has one process of each kind and one per terminal; what an update leaves needs a moment to end. */
export const expectOneOfEach = async ({ stack, terminals }: FarScene): Promise<void> => {
  const count = () => {
    const roles = stack.processes().map(({ role }) => role);
    return Object.fromEntries(
      [...new Set(roles)].sort().map((role) => [role, roles.filter((one) => one === role).length]),
    );
  };
  const expected = { server: 1, agent: 1, 'trading server': 1, terminal: terminals.length };
  const isOneOfEach = () => {
    const { PostgreSQL, ...others } = count();
    return (
      PostgreSQL !== undefined &&
      Object.keys(others).length === Object.keys(expected).length &&
      Object.entries(expected).every(([role, number]) => others[role] === number)
    );
  };
  await waitFor(isOneOfEach, { what: 'one process of each kind' }).catch((error: Error) => {
    throw new Error(`${error.message}; there are ${JSON.stringify(count())}`);
  });
};

/** Where a password is in plain text: files of the host, in any of a terminal's encodings, and the programs' output. */
const listPasswords = ({ host, stack, terminals }: FarScene): string[] => {
  const passwords = terminals.map(({ login }) => `pass-${login}`);
  const needles = passwords.flatMap((password) => [Buffer.from(password), Buffer.from(password, 'utf16le')]);
  const files = listFiles(host.directory).filter((path) => {
    const file = join(host.directory, path);
    if (!lstatSync(file).isFile()) return false;
    const bytes = readFileSync(file);
    return needles.some((needle) => bytes.includes(needle));
  });
  const logs = Object.entries({ agent: host.agent, server: stack.server })
    .filter(([, { output }]) => passwords.some((password) => output.includes(password)))
    .map(([role]) => `the log of the ${role}`);
  return [...files, ...logs];
};

/** Settled, no password is left in the clear: start files hold them only until their terminals have logged in. */
export const expectNoPasswords = async (scene: FarScene): Promise<void> => {
  let found: string[] = [];
  const isNone = () => {
    try {
      found = listPasswords(scene);
      return found.length === 0;
    } catch {
      // A file went away while we looked.
      return false;
    }
  };
  await waitFor(isNone, { what: 'an end of passwords in the clear' }).catch((error: Error) => {
    throw new Error(`${error.message}; they are in ${found.join(', ')}`);
  });
};

/** Destroys every terminal, as its owner would. @returns what is there that was not at the start: files, and processes */
export const destroyTerminals = async (scene: FarScene, keptAtStart: readonly string[]): Promise<string[]> => {
  const { stack, user, terminals } = scene;
  await Promise.all(terminals.map(({ id }) => user.berth.terminals.delete(id)));
  for (const { id } of terminals) await user.waitUntilGone(id);
  const files = listFiles(stack.dataDir).filter((path) => !path.startsWith('postgres') && !keptAtStart.includes(path));
  return [...files, ...stack.processes('terminal', 'setup').map(({ pid, folder }) => `${pid} ${folder}`)];
};
