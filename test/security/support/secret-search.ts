/** Looks for secrets in everything that an instance leaves behind, in every writing that it may have taken. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findProcessStat } from '@berth/kit';

/** A secret by its kind, so that a finding can be reported without showing it. */
export type Secrets = ReadonlyMap<string, string>;

const toWritings = (secret: string): Buffer[] => {
  const utf8 = Buffer.from(secret);
  const utf16 = Buffer.from(secret, 'utf16le');
  // Base64 of a text inside a longer one: the groups of three bytes begin at one of three places.
  const base64 = [0, 1, 2].map((offset) => {
    const groups = utf8.subarray(offset, utf8.length - ((utf8.length - offset) % 3));
    return Buffer.from(groups.toString('base64'));
  });
  return [utf8, utf16, ...base64, Buffer.from(utf8.toString('hex')), Buffer.from(utf16.toString('hex'))];
};

/** Creates a search for all the secrets; it returns the names of those found. */
export const createSearch = (secrets: Secrets): ((content: Buffer | string) => string[]) => {
  const wanted = [...secrets].map(([name, secret]) => ({ name, writings: toWritings(secret) }));
  return (content) => {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content);
    return wanted.filter(({ writings }) => writings.some((text) => bytes.includes(text))).map(({ name }) => name);
  };
};

const readIfThere = (path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch {
    // Removed meanwhile; pipes and sockets cannot be read.
    return Buffer.alloc(0);
  }
};

/** Every file below a folder, links followed. */
export function* listFiles(folder: string): Generator<{ path: string; content: Buffer }> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) yield* listFiles(path);
    else if (found?.isFile()) yield { path, content: readIfThere(path) };
  }
}

/** All living processes that descend from this one, itself included (Linux only). */
export const listDescendants = (ancestor: number): number[] => {
  const children = new Map<number, number[]>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = findProcessStat(Number(pid))?.parentPid ?? 0;
    children.set(parent, [...(children.get(parent) ?? []), Number(pid)]);
  }
  const collect = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(collect)];
  return collect(ancestor);
};

/** What other people of the machine could see of a process, or its account of it. */
export const readProcess = (pid: number): { commandLine: Buffer; environment: Buffer } => ({
  commandLine: readIfThere(`/proc/${pid}/cmdline`),
  environment: readIfThere(`/proc/${pid}/environ`),
});
