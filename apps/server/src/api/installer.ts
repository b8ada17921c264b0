/**
 * What makes a machine a host by one command, below `/install`: a script, and the agent that it installs. Both are open to
 * everybody: they have no secrets, and a machine that fetches them has no account yet.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';
import type { CoreServices } from '../services.ts';
import { hasFreshTag } from './http/send-file.ts';

const types = { 'host.sh': 'text/x-shellscript; charset=utf-8', 'berth-agent.tar.gz': 'application/gzip' };

interface InstallerFile {
  type: string;
  content: Buffer;
  sha256: string;
}

/** Kept in memory, so that a build meanwhile changes neither: the script takes one agent only. */
const readFiles = (folder: string): Map<string, InstallerFile> | undefined => {
  const paths = Object.entries(types).map(([name, type]) => ({ name, type, path: join(folder, name) }));
  if (!paths.every(({ path }) => existsSync(path))) return undefined;
  return new Map(
    paths.map(({ name, type, path }) => {
      const content = readFileSync(path);
      return [name, { type, content, sha256: createHash('sha256').update(content).digest('hex') }];
    }),
  );
};

/** @returns the SHA-256 of the script; undefined where nothing is built, which the log says, and the rest of the server works */
export const registerInstaller = (
  app: FastifyInstance,
  { log }: Pick<CoreServices, 'log'>,
  checkoutDir: string,
): string | undefined => {
  const folder = join(checkoutDir, 'apps/installer/dist');
  const files = readFiles(folder);
  if (!files)
    log.warn({ folder }, 'the installer of hosts is not built: run script/build, then start the server again');
  app.get<{ Params: { name: string } }>('/install/:name', (request, reply) => {
    const file = files?.get(request.params.name);
    if (!file) throw new AppError('route_not_found');
    const etag = `"${file.sha256}"`;
    // Asked for again each time: another version would not fit the checksum that an operator was given.
    reply.header('etag', etag).header('cache-control', 'public, no-cache');
    return hasFreshTag(request, etag) ? reply.code(304).send() : reply.type(file.type).send(file.content);
  });
  return files?.get('host.sh')?.sha256;
};
