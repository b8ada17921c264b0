/** The rooms of the server: arrows between them go down only, and the file of a URL is found by its path. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { routes } from './contract-routes.ts';
import { listImports, listTrackedFiles, readText, rootDir } from './repository.ts';

const root = 'apps/server/src';

/** From the top to the bottom. A room imports rooms of the lines below its own; rooms of one line know nothing of each other. */
const layers: readonly (readonly string[])[] = [
  ['main.ts', 'backup-main.ts', 'restore-main.ts', 'operator-password-main.ts', 'databases-main.ts'],
  ['console'],
  ['server.ts'],
  ['api', 'local-host', 'backup'],
  ['services.ts'],
  ['scheduler'],
  ['lifecycle', 'events', 'webhooks', 'alerts'],
  ['tasks', 'tokens', 'risk'],
  ['terminals', 'hosts', 'files', 'metrics', 'screenshots', 'samples', 'trading', 'schedules'],
  ['happened.ts'],
  ['event-log', 'notifications', 'projects', 'regions'],
  ['accounts'],
  ['mail', 'outbound', 'secrets', 'storage', 'validation'],
  ['config.ts'],
  ['db'],
  ['errors.ts', 'times.ts', 'version.ts'],
];

/** A folder of the sources, or a file beside the folders. */
const toRoom = (path: string): string => path.slice(root.length + 1).split('/')[0]!;

const files = listTrackedFiles().filter((path) => path.startsWith(`${root}/`) && path.endsWith('.ts'));
const arrows = files.flatMap((path) =>
  listImports(path)
    .filter((name) => name.startsWith('.'))
    .map((name) => ({ path, from: toRoom(path), to: toRoom(join(dirname(path), name)) }))
    .filter(({ from, to }) => from !== to),
);
const toDepth = (room: string): number => layers.findIndex((layer) => layer.includes(room));

describe('the rooms of the server', () => {
  it('the rooms of the server are all in one of the layers, and the layers name no other', () => {
    const rooms = new Set(files.map(toRoom));
    expect([...rooms].sort()).toEqual(layers.flat().sort());
  });

  it('import only what is below them', () => {
    expect(arrows.filter(({ from, to }) => toDepth(to) <= toDepth(from))).toEqual([]);
  });

  it('below the API know no HTTP', () => {
    const below = files.filter((path) => toDepth(toRoom(path)) > toDepth('api'));
    const knowing = below.filter((path) =>
      listImports(path).some((name) => ['node:http', 'node:https'].includes(name) || /^@?fastify/.test(name)),
    );
    expect(knowing).toEqual([]);
  });
});

/** The file whose path follows the URL furthest; parameters have no place in it. */
const toFile = (url: string): string | undefined => {
  const parts = url.split('/').filter((part) => part !== '' && !part.startsWith(':'));
  for (let length = parts.length; length > 0; length -= 1) {
    const path = `${root}/api/${parts.slice(0, length).join('/')}.ts`;
    if (existsSync(join(rootDir, path))) return path;
  }
  return undefined;
};

describe('the file of a URL', () => {
  const addresses = routes.map(({ name, route: { method, url } }) => ({ address: `${method} ${url}`, url, name }));

  it.each(addresses)('$address is the one that follows it furthest, and registers it', ({ url, name }) => {
    const registration = new RegExp(`registerRoute\\(\\s*context,\\s*${name},`, 'g');
    const registered = files.flatMap((file) => [...readText(file).matchAll(registration)].map(() => file));
    expect(registered).toEqual([toFile(url)]);
  });
});
