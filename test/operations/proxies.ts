/**
 * The files for nginx and Caddy as docs/guides/behind-a-proxy.md has them, in front of a real server and an agent that knows
 * the private authority, which docs/guides/private-ca.md made. Declares the tests of one of the two.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Berth } from '@berth/client';
import { HostStatus } from '@berth/contract/values';
import { endProcesses, spawnProcess, startTestAgent, startTestServer, waitFor, type TestServer } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageShell } from '../e2e/page-shell.ts';
import { listCommands, NAME, openProxyFolder, proxies, readFile, type ProxyName } from './proxy-programs.ts';

const [makeAuthority, tryAuthority] = listCommands('private-ca');
const [tryProxy] = listCommands('behind-a-proxy');

export const testProxy = (name: ProxyName): void => {
  describe(`behind ${name}`, () => {
    let folder: string;
    let shell: PageShell;
    let server: TestServer;
    let port: number;
    let token: string;
    let berth: Berth;

    const toArguments = (path: string, args: readonly string[]): string[] => {
      const trust = ['--cacert', join(folder, 'ca.pem'), '-4'];
      return ['-sS', '-H', `Authorization: Bearer ${token}`, ...trust, ...args, `https://${NAME}:${port}${path}`];
    };
    const curl = async (path: string, ...args: string[]): Promise<string> =>
      (await promisify(execFile)('curl', toArguments(path, args))).stdout;
    /**
     * A server that refuses a body may close the connection while it is being sent, which is not a failure of the
     * refusal.
     */
    const curlStatus = (path: string, ...args: string[]): Promise<string> =>
      curl(path, '--http1.1', '-o', join(folder, 'read'), '-w', '%{http_code}', ...args).catch(
        (error: { stdout: string }) => error.stdout,
      );

    beforeAll(async () => {
      ({ folder, port, shell } = await openProxyFolder(name));
      await shell.type(makeAuthority!);
      const config = { publicUrl: `https://${NAME}:${port}`, trustedProxies: ['127.0.0.1'], isRateLimited: true };
      server = await startTestServer({ config });
      ({ token, berth } = await server.register('Ada'));
      const servers = { '127.0.0.1:4000': new URL(server.url).host };
      await proxies[name]({ folder, port, site: readFile('behind-a-proxy', name), servers });
    });
    afterAll(async () => {
      await endProcesses();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it.each([tryAuthority!, tryProxy!])('the command of $page shows that it works', async (block) =>
      expect(JSON.parse(await shell.type(block))).toMatchObject({ ok: true }),
    );

    it('a file of 32 MiB goes in and comes out whole, and a larger one is refused', async () => {
      const file = join(folder, 'expert.ex5');
      const upload = ['-H', 'Content-Type: application/octet-stream', '-H', 'Expect:', '--data-binary', `@${file}`];
      const content = randomBytes(32 * 1024 * 1024);
      writeFileSync(file, content);
      const stored = JSON.parse(await curl('/v1/my/files?name=Expert.ex5', ...upload)) as { data: { id: string } };
      expect(await curlStatus(`/v1/my/files/${stored.data.id}/content`)).toBe('200');
      expect(readFileSync(join(folder, 'read')).equals(content)).toBe(true);
      writeFileSync(file, Buffer.concat([content, Buffer.from('x')]));
      // If the server's answer arrives while Caddy is still sending the body, it reports a broken connection instead.
      expect(await curlStatus('/v1/my/files?name=Expert.ex5', ...upload)).toMatch(
        name === 'caddy' ? /^(413|502)$/ : /^413$/,
      );
      expect(JSON.parse(await curl('/v1/my/files'))).toMatchObject({ data: [{ id: stored.data.id }] });
    });

    it('live events come as they happen', async () => {
      const reader = spawnProcess('curl', toArguments('/v1/my/events', ['-N']));
      await reader.waitForLine(/^event: ready/m);
      await berth.terminals.create({ server_name: 'Harbour-Demo', login: '5001', password: 'trade-me', region: 0 });
      await reader.waitForLine(/^event: terminal/m);
      reader.kill('SIGTERM');
    });

    it('links lead through the proxy, and nobody chooses the address that guesses are counted by', async () => {
      await berth.projects.create({ name: 'Second' });
      const list = JSON.parse(await curl('/v1/my/projects?per_page=1')) as { pagination: { next_page_url: string } };
      expect(list.pagination.next_page_url).toContain(`https://${NAME}:${port}/v1/my/projects`);
      const guess = ['-H', 'Content-Type: application/json', '-d', '{"email":"eve@example.com","password":"guess"}'];
      const statuses: string[] = [];
      for (const last of [1, 2, 3, 4, 5, 6]) {
        statuses.push(await curlStatus('/v1/auth/login', ...guess, '-H', `X-Forwarded-For: 192.0.2.${last}`));
      }
      expect(statuses).toEqual(['422', '422', '422', '422', '422', '429']);
    });

    it('an agent that knows the authority joins, and waits for work', async () => {
      const { operator } = (await server.registerOperator()).berth;
      const { join_token: joinToken } = await operator.joinTokens.create({ region: 0, name: 'attic', capacity: 1 });
      mkdirSync(join(folder, 'agent'));
      writeFileSync(join(folder, 'network'), '127.0.0.1:9');
      const settings = { serverUrl: `https://${NAME}:${port}`, directory: join(folder, 'agent'), joinToken };
      const environment = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
      const agent = startTestAgent({ ...settings, networkFile: join(folder, 'network'), environment });
      const isOnline = async () =>
        (await server.query('select from hosts where status = $1', [HostStatus.ONLINE])).length === 1;
      await waitFor(isOnline, { what: 'the host online' });
      agent.kill('SIGTERM');
      expect(await agent.ended).toMatchObject({ code: 0 });
    });
  });
};
