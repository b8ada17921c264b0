/** Two servers behind nginx or Caddy, with the files of docs/guides/two-servers.md: when one is gone, work goes on. */
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  createTestDatabase,
  endProcesses,
  startTestServer,
  waitFor,
  type TestDatabase,
  type TestServer,
} from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCommands, NAME, openProxyFolder, proxies, readFile, type ProxyName } from './proxy-programs.ts';

const [makeAuthority] = listCommands('private-ca');

/** What each guide puts in place of what the file for one server has. */
const replaced = { nginx: /^upstream [^]*?^}\n/m, caddy: /^ *reverse_proxy .*\n/m };
const toSite = (name: keyof typeof replaced): string =>
  readFile('behind-a-proxy', name).replace(replaced[name], () => readFile('two-servers', name));

export const testTwoServers = (name: ProxyName): void => {
  describe(`two servers behind ${name}`, () => {
    let folder: string;
    let port: number;
    let database: TestDatabase;
    let servers: TestServer[];
    let token: string;

    const curl = async (path: string, ...args: string[]): Promise<string> => {
      const all = ['-sS', '--fail', '-H', `Authorization: Bearer ${token}`, '--cacert', `${folder}/ca.pem`, ...args];
      return (await promisify(execFile)('curl', [...all, `https://${NAME}:${port}${path}`])).stdout;
    };
    /** As the guide asks of clients: what got no answer of a server is sent again, under its key. */
    const createProject = async (project: string): Promise<boolean> => {
      const key = ['--retry', '10', '-H', `Idempotency-Key: ${randomUUID()}`];
      const body = [...key, '-H', 'Content-Type: application/json', '-d', JSON.stringify({ name: project })];
      return (JSON.parse(await curl('/v1/my/projects', ...body)) as { ok: boolean }).ok;
    };
    /** Whether this server has answered a request of the test. */
    const hasServed = async ({ url }: TestServer): Promise<boolean> =>
      (await (await fetch(`${url}/metrics`)).text()).includes('route="/v1/my/projects"');

    beforeAll(async () => {
      database = await createTestDatabase();
      const opened = await openProxyFolder(name);
      ({ folder, port } = opened);
      await opened.shell.type(makeAuthority!);
      const config = { secretKey: randomBytes(32).toString('base64') };
      servers = [await startTestServer({ database, config }), await startTestServer({ database, config })];
      ({ token } = await servers[0]!.register('Ada'));
      const [first, second] = servers.map(({ url }) => new URL(url).host);
      const places = { '10.0.0.1:4000': first!, '10.0.0.2:4000': second! };
      await proxies[name]({ folder, port, site: toSite(name), servers: places });
    });
    afterAll(async () => {
      await endProcesses();
      await servers[1]!.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('both get requests', async () => {
      const haveBothServed = async (): Promise<boolean> => {
        expect(await createProject('Before')).toBe(true);
        return (await Promise.all(servers.map(hasServed))).every(Boolean);
      };
      await waitFor(haveBothServed, { what: 'requests at both servers' });
    });

    it('no request is lost after one of them ended, and none is carried out twice', async () => {
      await servers[0]!.close();
      for (const number of [1, 2, 3, 4, 5, 6]) expect(await createProject(`After ${number}`)).toBe(true);
      const created = await servers[1]!.query("select name from projects where name like 'After%' order by name");
      expect(created.map(({ name: project }) => project as string)).toEqual(
        [1, 2, 3, 4, 5, 6].map((n) => `After ${n}`),
      );
    });
  });
};
