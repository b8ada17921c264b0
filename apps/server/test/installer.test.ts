/** What a machine fetches before it is a host: the script and the agent, which belong together. */
import { createHash } from 'node:crypto';
import { useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';

const server = useTestServer({ without: ['the scheduler'] });

const toSha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

it('the installer is open to everybody, and its script has the checksum of the agent that is beside it', async () => {
  const script = await server.request('GET', '/install/host.sh');
  const agent = await server.request('GET', '/install/berth-agent.tar.gz');
  expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/x-shellscript; charset=utf-8']);
  expect([agent.status, agent.headers.get('content-type')]).toEqual([200, 'application/gzip']);
  expect(script.bytes.toString()).toContain(`\nSHA256='${toSha256(agent.bytes)}'\n`);
});

it('the overview of operators has the checksum of the script', async () => {
  const { token } = await server.registerOperator();
  const { body } = await server.request('GET', '/v1/operator/overview', { token });
  const { bytes } = await server.request('GET', '/install/host.sh');
  expect(body.data.installer_sha256).toBe(toSha256(bytes));
});

it('a file of the installer that a client has is not sent again', async () => {
  const { headers } = await server.request('GET', '/install/host.sh');
  const again = await server.request('GET', '/install/host.sh', {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  });
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
});

it.each(['/install', '/install/', '/install/host.ts', '/install/..%2fsrc%2fhost.sh', '/install/__proto__'])(
  'nothing else is served as an installer: %s',
  async (path) => expect((await server.request('GET', path)).status).toBe(404),
);
