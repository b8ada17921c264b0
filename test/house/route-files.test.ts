/** The file of a URL is found by its path. */
import { existsSync } from 'node:fs';
import { join } from 'node:path/posix';
import { expect, it } from 'vitest';
import { routes } from './contract-routes.ts';
import { listTrackedFiles, readText, rootDir } from './repository.ts';

const root = 'apps/server/src';
const files = listTrackedFiles().filter((path) => path.startsWith(`${root}/`) && path.endsWith('.ts'));

/** The file whose path follows the URL furthest; parameters have no place in it. */
const toFile = (url: string): string | undefined => {
  const parts = url.split('/').filter((part) => part !== '' && !part.startsWith(':'));
  for (let length = parts.length; length > 0; length -= 1) {
    const path = `${root}/api/${parts.slice(0, length).join('/')}.ts`;
    if (existsSync(join(rootDir, path))) return path;
  }
  return undefined;
};

const addresses = routes.map(({ name, route: { method, url } }) => ({ address: `${method} ${url}`, url, name }));

it.each(addresses)('$address is the one that follows it furthest, and registers it', ({ url, name }) => {
  const registration = new RegExp(`registerRoute\\(\\s*context,\\s*${name},`, 'g');
  const registered = files.flatMap((file) => [...readText(file).matchAll(registration)].map(() => file));
  expect(registered).toEqual([toFile(url)]);
});
