/**
 * Packs the agent as hosts get it from a server, and writes the script that installs it, to apps/installer/dist. Runs when the
 * programs are built. The same files give the same bytes, on every server of an installation.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './bundles.mjs';

const BLOCK_BYTES = 512;
/** 1980: some programs complain of files that are older. */
const MODIFIED_AT_S = 315_532_800;

const read = (path) => readFileSync(join(root, path));

/** What stands in `folder`, as paths in the archive and their contents. */
const listFolder = (folder, isWanted = () => true) =>
  (existsSync(join(root, folder)) ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true }) : [])
    .filter((entry) => entry.isFile() && isWanted(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .map((path) => [path, read(path)]);

/** The licences of the packages whose sources are in the agent's bundle, as its source maps name them. */
const listLicences = () => {
  const maps = listFolder('apps/agent/dist', (name) => name.endsWith('.map'));
  const sources = maps.flatMap(([, content]) => JSON.parse(content).sources);
  const names = sources.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(names)].map((name) => {
    const folder = join('node_modules', name);
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${folder} has no licence to go with the agent`);
    return [`licences/${name.replace('/', '-')}.txt`, read(join(folder, file))];
  });
};

const listFiles = () => [
  ...listFolder('apps/agent/dist', (name) => name.endsWith('.js')),
  ...listFolder('apps/link/src'),
  ...listFolder('apps/windows/dist', (name) => /\.exe(\.sha256)?$/.test(name)),
  ...listLicences(),
  ...['LICENSE', 'NOTICE', 'apps/agent/package.json'].map((path) => [path, read(path)]),
  ['berth-agent.service', read('apps/installer/src/berth-agent.service')],
  ['script/agent', read('apps/installer/src/agent.sh')],
];

/** The header of a file, as POSIX has it (ustar): nothing in it is of this machine. */
const toHeader = (path, sizeBytes) => {
  if (path.length > 100) throw new Error(`${path} is too long a path for the archive`);
  const header = Buffer.alloc(BLOCK_BYTES);
  const writeOctal = (value, at, length) => header.write(value.toString(8).padStart(length - 1, '0'), at);
  header.write(path);
  writeOctal(path.startsWith('script/', path.indexOf('/') + 1) ? 0o755 : 0o644, 100, 8);
  for (const owner of [108, 116]) writeOctal(0, owner, 8);
  writeOctal(sizeBytes, 124, 12);
  writeOctal(MODIFIED_AT_S, 136, 12);
  header.write('        0', 148);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
};

const toArchive = (files) =>
  Buffer.concat([
    ...files.flatMap(([path, content]) => {
      const padding = Buffer.alloc(-content.length & (BLOCK_BYTES - 1));
      return [toHeader(path, content.length), content, padding];
    }),
    Buffer.alloc(2 * BLOCK_BYTES),
  ]);

const writeWhole = (path, content) => {
  writeFileSync(`${path}.${process.pid}`, content);
  renameSync(`${path}.${process.pid}`, path);
};

const { version } = JSON.parse(read('apps/agent/package.json'));
const files = listFiles()
  .map(([path, content]) => [`berth-agent-${version}/${String(path)}`, Buffer.from(content)])
  .sort(([a], [b]) => (a < b ? -1 : 1));
const archive = gzipSync(toArchive(files), { level: 9 });
const sha256 = createHash('sha256').update(archive).digest('hex');
const script = read('apps/installer/src/host.sh')
  .toString()
  .replace('@RELEASE@', `${version}-${sha256.slice(0, 12)}`)
  .replace('@SHA256@', sha256);
const dist = join(root, 'apps/installer/dist');
mkdirSync(dist, { recursive: true });
writeWhole(join(dist, 'berth-agent.tar.gz'), archive);
writeWhole(join(dist, 'host.sh'), script);
