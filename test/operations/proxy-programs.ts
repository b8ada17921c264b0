/**
 * nginx and Caddy with the files that the guides have: only names, addresses, ports and certificates are put in.
 */
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, spawnProcess } from '@berth/testing';
import { PageShell } from '../e2e/page-shell.ts';
import { readBlocks, readRun } from '../house/page-blocks.ts';

const PATH = `${process.env.PATH}:/usr/sbin`;
/** In place of the pages' name, so that an agent finds it. */
export const NAME = 'localhost';

/** The first block of a guide in this language. */
export const readFile = (guide: string, language: string): string => {
  const block = readBlocks(`docs/guides/${guide}.md`).find((candidate) => candidate.language === language);
  return (block?.text ?? '').replaceAll('berth.example.com', NAME);
};

/** The commands of a guide. */
export const listCommands = (guide: string) =>
  readBlocks(`docs/guides/${guide}.md`).filter((block) => readRun(block)?.by === 'proxy');

/** A folder for a proxy, and a shell in it that types the guides' commands. */
export const openProxyFolder = async (name: string): Promise<{ folder: string; port: number; shell: PageShell }> => {
  const folder = mkdtempSync(join(tmpdir(), `berth-${name}-`));
  chmodSync(folder, 0o755);
  const port = await findFreePort();
  const places = {
    '/etc/berth/ca.pem': join(folder, 'ca.pem'),
    'https://berth.example.com': `https://${NAME}:${port}`,
    'berth.example.com': NAME,
  };
  const shell = new PageShell({ places, environment: { CURL_CA_BUNDLE: join(folder, 'ca.pem') }, folder });
  return { folder, port, shell };
};

export interface ProxyPlace {
  folder: string;
  port: number;
  /** The file of the page, which names its servers as the page does. */
  site: string;
  /** What the page calls a server → its host and port. */
  servers: Record<string, string>;
}

const putServers = ({ site, servers }: ProxyPlace): string =>
  Object.entries(servers).reduce((result, [written, here]) => result.replaceAll(written, here), site);

const startNginx = async (place: ProxyPlace): Promise<void> => {
  const { folder, port } = place;
  const spare = await findFreePort();
  const site = putServers(place)
    .replace('listen 443 ', `listen 127.0.0.1:${port} `)
    .replace('listen 80;', `listen 127.0.0.1:${spare};`)
    .replace(/\/etc\/letsencrypt\/live\/[^;]*\/fullchain\.pem/, join(folder, 'server.pem'))
    .replace(/\/etc\/letsencrypt\/live\/[^;]*\/privkey\.pem/, join(folder, 'server.key'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const user = process.getuid?.() === 0 ? 'user root;\n' : '';
  const main = `${user}daemon off;\npid ${folder}/nginx.pid;\nerror_log stderr notice;\nevents {}\n`;
  writeFileSync(join(folder, 'nginx.conf'), `${main}http {\naccess_log off;\n${temporary.join('\n')}\n${site}}\n`);
  await spawnProcess('nginx', ['-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    env: { PATH },
  }).waitForLine(/start worker process /);
};

const startCaddy = async (place: ProxyPlace): Promise<void> => {
  const { folder, port } = place;
  const address = `${NAME}:${port} {\n  bind 127.0.0.1\n  tls ${folder}/server.pem ${folder}/server.key`;
  const site = putServers(place).replace(`${NAME} {`, address);
  writeFileSync(join(folder, 'Caddyfile'), `{\n  admin off\n  auto_https disable_redirects\n}\n${site}`);
  const env = { PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  await spawnProcess('caddy', ['run', '--config', join(folder, 'Caddyfile')], { env }).waitForLine(
    /serving initial configuration/,
  );
};

/** How each proxy is started. */
export const proxies = { nginx: startNginx, caddy: startCaddy };
export type ProxyName = keyof typeof proxies;
