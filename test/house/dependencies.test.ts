import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { listImports, listTrackedFiles, readJson, readText } from './repository.ts';

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** What the sources of a workspace may import of ours. Dependencies point one way, so that no change runs in a circle. */
const allowed: Record<string, readonly string[]> = {
  'packages/contract': [],
  'packages/kit': [],
  'packages/command': ['@berth/kit'],
  // Types, and a few tables: what its bundle has of the contract is held by its own test.
  'packages/client': ['@berth/contract'],
  'packages/postgres': ['@berth/kit'],
  'packages/risk': ['@berth/contract'],
  // The one exception to "nothing imports an app": it starts the real ones.
  'packages/testing': ['@berth/client', '@berth/contract', '@berth/kit', '@berth/postgres'],
  'apps/server': ['@berth/command', '@berth/contract', '@berth/kit', '@berth/postgres', '@berth/risk'],
  'apps/agent': ['@berth/command', '@berth/contract', '@berth/kit', '@berth/risk'],
  'apps/sandbox': ['@berth/kit'],
  'apps/dashboard': ['@berth/client', '@berth/contract'],
};
const importsApps = new Set(['packages/testing']);

const files = listTrackedFiles().filter((path) => /^(apps|packages|test)\/.+\.tsx?$/.test(path));
const toWorkspace = (path: string): string => path.split('/').slice(0, 2).join('/');
const isSource = (path: string): boolean => path.includes('/src/');
const imports = files.flatMap((path) => listImports(path).map((name) => ({ path, name })));
const toPackage = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

/** Packages that a workspace may import. What starts an app, and hands its parts to tests, may name what they are made of. */
const listDeclared = (workspace: string): Set<string> => {
  const manifests = importsApps.has(workspace) ? [workspace, 'apps/server'] : [workspace];
  return new Set(
    manifests.flatMap((folder) => {
      const { dependencies, devDependencies } = readJson<Manifest>(`${folder}/package.json`);
      const isBundled = folder === 'packages/testing' || folder === 'packages/client';
      return Object.keys({ ...dependencies, ...(isBundled ? devDependencies : {}) });
    }),
  );
};

describe('imports', () => {
  it('imports of our packages go one way', () => {
    const workspaces = new Set(files.filter(isSource).map(toWorkspace));
    expect([...workspaces].filter((workspace) => !allowed[workspace])).toEqual([]);
    const wrong = imports.filter(
      ({ path, name }) =>
        isSource(path) && name.startsWith('@berth/') && !allowed[toWorkspace(path)]?.includes(toPackage(name)),
    );
    expect(wrong).toEqual([]);
  });

  it('imports stay inside their workspace: what another one offers comes through its package, and nothing imports an app', () => {
    const leaving = imports.filter(({ path, name }) => {
      if (!name.startsWith('.')) return false;
      const home = toWorkspace(path);
      const target = join(dirname(path), name);
      if (path.startsWith('test/')) return !target.startsWith('test/');
      return !target.startsWith(`${home}/`) && !importsApps.has(home);
    });
    expect(leaving).toEqual([]);
    expect(imports.filter(({ name }) => /^@berth\/(server|agent|sandbox)\b/.test(name))).toEqual([]);
  });

  it('imports of sources never reach into tests', () => {
    const wrong = imports.filter(
      ({ path, name }) => isSource(path) && (name === '@berth/testing' || /(^|\/)test\//.test(name)),
    );
    expect(wrong).toEqual([]);
  });

  it('inside the repository name the file with its ending', () => {
    expect(imports.filter(({ name }) => name.startsWith('.') && !/\.(tsx?|m?js|json|css)$/.test(name))).toEqual([]);
  });

  it('imports of sources are declared in the manifest of their workspace', () => {
    const found = imports.filter(({ path, name }) => {
      if (!isSource(path) || name.startsWith('.') || isBuiltin(name)) return false;
      return !listDeclared(toWorkspace(path)).has(toPackage(name));
    });
    expect(found).toEqual([]);
  });

  it('imports of the contract by an agent name its small doors: a schema is of use to its compiler only', () => {
    const importers = files.filter((path) => path.startsWith('apps/agent/src/'));
    const whole = /\bimport (?!type\b)[^;]*'@berth\/contract';/;
    expect(whole.test(`import { Task } from '@berth/contract';`)).toBe(true);
    expect(importers.filter((path) => whole.test(readText(path)))).toEqual([]);
  });

  it('imports of the contract do no I/O', () => {
    const contract = imports.filter(({ path }) => path.startsWith('packages/contract/src/'));
    expect(contract.filter(({ name }) => !name.startsWith('.') && name !== 'typebox')).toEqual([]);
  });
});

/** Programs of users, which the dashboard shows. */
const SHOWN_TO_USERS = 'apps/dashboard/src/pages/webhook/snippets.ts';

describe('the environment', () => {
  it('the environment is read by the programs themselves only: main.ts and *-main.ts', () => {
    const readers = files.filter((path) => isSource(path) && /\bprocess\.env\b/.test(readText(path)));
    const others = readers.filter(
      (path) =>
        !/\/src\/([a-z-]+-)?main\.ts$/.test(path) && !importsApps.has(toWorkspace(path)) && path !== SHOWN_TO_USERS,
    );
    expect(others).toEqual([]);
  });
});
