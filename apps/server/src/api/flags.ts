import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';

/** Path of a country's flag on this server. */
export const toFlagPath = (country: string): string => `/flags/${country}.svg`;

const findFlagFolder = (): string => {
  const manifest = createRequire(import.meta.url).resolve('flag-icons/package.json');
  return join(dirname(manifest), 'flags', '4x3');
};

const listFlags = (): string[] => readdirSync(findFlagFolder()).filter((name) => /^[a-z]{2}\.svg$/.test(name));

let known: ReadonlySet<string> | undefined;

/** @param country lower case */
export const hasFlag = (country: string): boolean => (known ??= new Set(listFlags())).has(`${country}.svg`);

/**
 * Serves the flags of the flag-icons package. Existing flags are listed once, at start, so that a request is only a
 * lookup: no part of it becomes a path.
 */
export const registerFlags = (app: FastifyInstance): void => {
  const folder = findFlagFolder();
  const paths = new Map(listFlags().map((name) => [name, join(folder, name)]));
  app.get<{ Params: { name: string } }>('/flags/:name', async (request, reply) => {
    const path = paths.get(request.params.name);
    if (path === undefined) throw new AppError('route_not_found');
    return (
      reply
        .type('image/svg+xml')
        .header('cache-control', 'public, max-age=31536000, immutable')
        // Dashboards on other origins show it too; opened on its own it runs nothing.
        .header('cross-origin-resource-policy', 'cross-origin')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
        .send(await readFile(path))
    );
  });
};
