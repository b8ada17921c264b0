// @module-tag curl
/** The script that makes a machine a host, run as a machine would: what it puts where, when it refuses, and how it upgrades. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endProcesses, spawnProcess, useTestServer, waitFor } from '@berth/testing';
import { HostStatus } from '@berth/contract/values';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Machine, toSha256, type Outcome } from './support/machine.ts';
import { archive, release, ReleaseServer, script } from './support/release-server.ts';

const TOKEN = '7|abcDEF0123456789';

const server = useTestServer({ without: ['the scheduler'] });

let machine: Machine;
beforeEach(() => void (machine = new Machine()));
afterEach(async () => {
  await endProcesses();
  machine.remove();
});

interface Asked {
  token?: string;
  from?: string;
  text?: string;
  typed?: string;
}

const run = (args: string[], { token = TOKEN, from = server.url, text = script, typed }: Asked = {}) =>
  machine.run(text, ['--server', from, ...args], token === '' ? {} : { BERTH_JOIN_TOKEN: token }, typed);

it('a dry run says each step, the checksum among them, and changes nothing', async () => {
  const { code, output } = await run(['--dry-run', '--yes']);
  expect(code).toBe(0);
  for (const told of [
    `${server.url}/install/berth-agent.tar.gz`,
    toSha256(archive),
    'berth-agent.service',
    'agent.env',
  ])
    expect(output).toContain(told);
  expect(output).toContain('Nothing was changed (--dry-run).');
  expect(output).not.toContain(TOKEN);
  expect(machine.list()).toEqual([]);
});

it('the script puts the agent, its settings, the token and the unit in place, and gives the token to no program', async () => {
  machine.replace(
    'curl',
    `env >>'${machine.folder}/seen'; echo "$@" >>'${machine.folder}/seen'; exec /usr/bin/curl "$@"`,
  );
  expect(await run(['--platforms', 'mt5:wine,mt4', '--yes'])).toMatchObject({ code: 0 });
  expect(readFileSync(join(machine.folder, 'seen'), 'utf8')).not.toContain(TOKEN);
  expect(machine.read('etc/berth-agent/agent.env')).toContain(
    `BERTH_SERVER_URL=${server.url}\nBERTH_AGENT_PLATFORMS=mt5,mt4\nBERTH_AGENT_DIR=/var/lib/berth-agent\n`,
  );
  expect(machine.read('etc/berth-agent/join-token.env')).toBe(`BERTH_JOIN_TOKEN='${TOKEN}'\n`);
  const unit = 'etc/systemd/system/berth-agent.service';
  expect(machine.read(unit)).toContain('User=berth-agent\n');
  expect(
    ['etc/berth-agent/agent.env', 'etc/berth-agent/join-token.env', unit].map((path) => machine.modeOf(path)),
  ).toEqual(['644', '600', '644']);
  expect(readlinkSync(join(machine.root, 'opt/berth-agent/current'))).toBe(release);
  expect(machine.modeOf('opt/berth-agent/current/script/agent')).toBe('755');
  expect(machine.list('opt/berth-agent')).not.toContain('.draft');
});

it('the authority that curl was told to trust is in the settings of the agent, too', async () => {
  const environment = { BERTH_JOIN_TOKEN: TOKEN, CURL_CA_BUNDLE: '/etc/berth/ca.pem' };
  expect(await machine.run(script, ['--server', server.url, '--yes'], environment)).toMatchObject({ code: 0 });
  expect(machine.read('etc/berth-agent/agent.env')).toContain('\nNODE_EXTRA_CA_CERTS="/etc/berth/ca.pem"\n');
});

it('the script asks at the terminal, and does nothing unless the answer is yes', { tags: ['pty'] }, async () => {
  expect(await run([], { typed: '\n' })).toMatchObject({ code: 1, output: expect.stringContaining('Go on? [y/N]') });
  expect(machine.list()).toEqual([]);
  expect(await run([], { typed: 'y\n' })).toMatchObject({ code: 0 });
  expect(readlinkSync(join(machine.root, 'opt/berth-agent/current'))).toBe(release);
});

it('the script waits for nothing while another one runs, and leaves the machine to it', async () => {
  const lock = join(machine.root, 'opt/berth-agent/.lock');
  mkdirSync(dirname(lock), { recursive: true });
  const other = spawnProcess('flock', [lock, 'sh', '-c', 'echo held; exec sleep 600']);
  await other.waitForLine(/^held$/);
  expect(await run(['--yes'])).toMatchObject({ code: 1, output: expect.stringContaining('is running already') });
  expect(machine.list('opt/berth-agent')).toEqual(['.lock']);
  expect(machine.list()).not.toContain('etc');
});

describe('the script refuses, and changes nothing', () => {
  const refuses = async (running: Promise<Outcome>, reason: string) => {
    const { code, output } = await running;
    expect(output).toContain(reason);
    expect(code).toBe(1);
    expect(machine.list()).toEqual([]);
  };

  it.each([
    'http://berth.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'HTTP://localhost',
    'ftp://localhost',
    'https://',
  ])('an address that others could listen on: %s', (from) =>
    refuses(run(['--yes'], { from }), 'must begin with https://'),
  );

  it.each(['https://a b', 'https://a\nBERTH_X=1', 'https://user@a', "https://a'", 'https://a$(id)'])(
    'an address that would mean something else in a file: %j',
    (from) => refuses(run(['--yes'], { from }), 'characters that no address has'),
  );

  it("a token that would mean something else in a file: 1|a'", () =>
    refuses(run(['--yes'], { token: "1|a'\nX=1" }), 'not a join token'));

  it.each(['sandbox', 'mt5;id', '', 'mt5,', 'mt4:process', 'mt5\nmt4', 'mt5,mt5'])(
    'platforms that it does not have: %j',
    (platforms) => refuses(run(['--yes', '--platforms', platforms]), '--platforms takes'),
  );

  it('a machine without Node.js, or with an old one, and says where to get it', async () => {
    machine.replace('node', 'echo v20.18.9');
    await refuses(run(['--yes']), 'Node.js 20.19 or newer is needed; this is v20.18.9');
    machine.without('node');
    await refuses(run(['--yes']), 'apt install nodejs');
  });

  it('a machine without the programs that terminals need, and names their packages', async () => {
    machine.without('bwrap', 'pasta');
    await refuses(run(['--yes']), 'apt install --no-install-recommends bubblewrap passt');
  });

  it('a disk that is full', async () => {
    machine.replace('df', 'echo Avail; echo 2047');
    await refuses(run(['--yes']), 'At least 2048 MB must be free');
  });

  it('when nobody can be asked', () => refuses(run([]), 'There is no terminal to ask on'));

  it('an option that it does not know', () => refuses(run(['--unknown']), '"--unknown" is not known here'));

  it('what was cut off, wherever', async () => {
    const ends = [...script.matchAll(/\n/g)].map(({ index }) => index + 1).filter((_, index) => index % 4 === 0);
    const last = script.lastIndexOf('main "$@"');
    for (const end of [...ends, ...Array.from({ length: 8 }, (_, index) => last + index)])
      await run(['--yes'], { text: script.slice(0, end) });
    expect(machine.list()).toEqual([]);
  });
});

describe('a server that has another agent', () => {
  const other = new ReleaseServer();
  let from: string;
  beforeAll(async () => void (from = await other.open()));
  afterAll(() => other.close());

  it('an agent with another checksum is not unpacked', async () => {
    other.make('0.0.9');
    const { code, output } = await run(['--yes'], { from });
    expect(output).toContain('is not the one that belongs to this script (SHA-256). Nothing was changed.');
    expect(code).toBe(1);
    expect(machine.list()).toEqual([]);
  });

  it('run again, the script upgrades the agent, keeps the one before, and leaves the settings as they are', async () => {
    const releases = join(machine.root, 'opt/berth-agent');
    const upgrade = async (version: string) => {
      expect(await run(['--yes'], { from, text: other.make(version), token: '' })).toMatchObject({ code: 0 });
      expect(machine.read('opt/berth-agent/current/version')).toBe(version);
    };
    await upgrade('0.1.0');
    machine.replace('df', 'echo Avail; echo 100');
    const settings = join(machine.root, 'etc/berth-agent/agent.env');
    writeFileSync(settings, `${readFileSync(settings, 'utf8')}BERTH_AGENT_SLOTS=3\n`);
    await upgrade('0.2.0');
    expect(readlinkSync(join(releases, 'former'))).toBe('0.1.0');
    await upgrade('0.3.0');
    await upgrade('0.3.0');
    expect(readlinkSync(join(releases, 'former'))).toBe('0.2.0');
    expect(machine.list('opt/berth-agent').filter((path) => !path.includes('/'))).toEqual([
      ...['.lock', '0.2.0', '0.3.0', 'current', 'former'],
    ]);
    expect(readFileSync(settings, 'utf8')).toContain('BERTH_AGENT_SLOTS=3\n');
  });

  it('a host of one server is not taken over by another one', async () => {
    expect(await run(['--yes'])).toMatchObject({ code: 0 });
    const { code, output } = await run(['--yes'], { from, text: other.make('0.2.0') });
    expect([code, output]).toEqual([1, expect.stringContaining(`This machine is a host of ${server.url}`)]);
    expect(readlinkSync(join(machine.root, 'opt/berth-agent/current'))).toBe(release);
  });
});

it('the archive has no time, owner or order of the machine that built it', () => {
  const lines = execFileSync('tar', ['-tvz', '--full-time'], {
    input: archive,
    env: { TZ: 'UTC', PATH: process.env.PATH },
  })
    .toString()
    .trim()
    .split('\n');
  const entries = lines.map((line) => /^-(rw-r--r--|rwxr-xr-x) 0\/0 +\d+ 1980-01-01 00:00:00 (\S+)$/.exec(line)?.[2]);
  expect(entries).toEqual([...entries].sort());
  expect(entries).toContain('berth-agent-0.1.0/licences/pino.txt');
});

it('the installed agent joins with the token of its file and is in service', async () => {
  const operator = await server.registerOperator();
  const body = { region: 1, name: 'attic', capacity: 2 };
  const made = await server.request('POST', '/v1/operator/join-tokens', { token: operator.token, body });
  expect(await run(['--yes'], { token: made.body.data.join_token })).toMatchObject({ code: 0 });
  const settings = ['agent.env', 'join-token.env'].flatMap((name) => [
    ...machine.read(`etc/berth-agent/${name}`).matchAll(/^(\w+)='?([^'\n]*)'?$/gm),
  ]);
  const environment = Object.fromEntries(settings.map(([, name, value]) => [name, value]));
  const [, program = ''] = /^ExecStart=\S+ (\S+)$/m.exec(machine.read('etc/systemd/system/berth-agent.service')) ?? [];
  spawnProcess(process.execPath, [join(machine.root, program)], {
    env: { PATH: process.env.PATH, ...environment, BERTH_AGENT_DIR: join(machine.root, 'var/lib/berth-agent') },
  });
  const listed = () => server.request('GET', '/v1/operator/hosts', { token: operator.token });
  await waitFor(async () => {
    const hosts = (await listed()).body.data as { name: string; status: number }[];
    return hosts.some(({ name, status }) => name === 'attic' && status === HostStatus.ONLINE);
  });
});
