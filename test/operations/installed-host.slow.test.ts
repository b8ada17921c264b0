/**
 * The commands of docs/guides/join-a-host.md, typed as root on a machine of their own: folders of the system that a mount
 * namespace has to itself, with a real user and a real agent. A program stands in for systemd, which needs a whole machine.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcesses, spawnProcess, startTestServer, waitFor, type TestServer } from '@berth/testing';
import { HostStatus } from '@berth/contract/values';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBlocks, readRun } from '../house/page-blocks.ts';

/** Everything that is written to these folders is gone with the namespace. */
const toMounts = (folder: string): string => `
set -e
mount --make-rprivate /
mount -t tmpfs tmpfs ${folder}/disk
for name in etc opt var/lib; do
  mkdir -p ${folder}/disk/upper/$name ${folder}/disk/work/$name
  mount -t overlay overlay -o lowerdir=/$name,upperdir=${folder}/disk/upper/$name,workdir=${folder}/disk/work/$name /$name
done
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system
`;

/** Starts the unit's program as its user, with its files of settings, in the place of the one before. */
const toService = (folder: string): string => `#!/bin/sh
set -e
echo "$*" >>${folder}/calls
[ "$*" = 'restart berth-agent' ] || exit 0
unit=/etc/systemd/system/berth-agent.service
user=$(sed -n 's/^User=//p' $unit)
install -d -o "$user" -m 0700 /var/lib/berth-agent
[ ! -e ${folder}/pid ] || kill "$(cat ${folder}/pid)"
set -a
for file in $(sed -n 's/^EnvironmentFile=-*//p' $unit); do [ ! -e "$file" ] || . "$file"; done
set +a
setpriv --reuid "$user" --regid "$user" --clear-groups $(sed -n 's/^ExecStart=//p' $unit) >>${folder}/log 2>&1 9>&- &
echo $! >${folder}/pid
`;

const blocks = readBlocks('docs/guides/join-a-host.md').filter((block) => readRun(block)?.by === 'machine');
const [install, upgrade, goBack] = blocks.map(({ text }) => text);

describe('a machine that was no host', { tags: ['root', 'mount', 'curl'] }, () => {
  let folder: string;
  let server: TestServer;
  let operator: string;
  let type: (command: string) => Promise<string>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'berth-installed-'));
    for (const name of ['disk', 'bin']) mkdirSync(join(folder, name));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'bin/systemctl'), toService(folder), { mode: 0o755 });
    // What the script looks for and does not start.
    for (const name of ['wine', 'Xvfb', 'openbox', 'bwrap', 'pasta', 'ip'])
      symlinkSync('/bin/true', join(folder, 'bin', name));
    server = await startTestServer();
    operator = (await server.registerOperator()).token;
    const shell = spawnProcess('unshare', ['--mount', 'bash'], {
      cwd: '/',
      env: { PATH: `${folder}/bin:${process.env.PATH}`, HOME: folder },
      stdio: 'pipe',
    });
    let count = 0;
    type = async (command) => {
      const before = shell.output.length;
      count += 1;
      shell.child.stdin?.write(`(${command}\n) </dev/null; echo "typed ${count}: $?"\n`);
      const [, code] = await shell.waitForLine(new RegExp(`^typed ${count}: (\\d+)$`));
      const [output = ''] = shell.output.slice(before).split(/^typed /m);
      expect([output, code]).toEqual([output, '0']);
      return output;
    };
    shell.child.stdin?.write(toMounts(folder));
  });
  afterAll(async () => {
    await type(`kill "$(cat ${folder}/pid)"`);
    await endProcesses();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (method: string, path: string, body?: object) =>
    (await server.request(method, path, { token: operator, ...(body ? { body } : {}) })).body.data;

  const follow = async (block = '', token = ''): Promise<string> => {
    const { installer_sha256 } = (await ask('GET', '/v1/operator/overview')) as { installer_sha256: string };
    const places = {
      'https://berth.example.com': server.url,
      '<the checksum>': installer_sha256,
      '<the join token>': token,
    };
    const text = Object.entries(places).reduce((all, [name, place]) => all.replaceAll(name, place), block);
    return type(text.replace(/\)\s*$/, ' --yes)'));
  };

  const isOnline = async (): Promise<boolean> => {
    const hosts = (await ask('GET', '/v1/operator/hosts')) as { name: string; status: number }[];
    return hosts.some(({ name, status }) => name === 'attic' && status === HostStatus.ONLINE);
  };

  it('a machine that was no host is one after the line of the guide, and keeps no token', async () => {
    const order = { region: 1, name: 'attic', capacity: 2 };
    const { join_token } = (await ask('POST', '/v1/operator/join-tokens', order)) as { join_token: string };
    const output = await follow(install, join_token);
    expect(output).toContain('host.sh: OK');
    expect(output).toContain('This machine is a host.');
    await waitFor(isOnline);
    expect(await type('ls /etc/berth-agent')).not.toContain('join-token.env');
    expect(await type(`ps -o user= -p "$(cat ${folder}/pid)"`)).toContain('berth-a');
    expect(await type('stat -c %a:%U /var/lib/berth-agent')).toContain('700:berth-agent');
    expect(await type(`cat ${folder}/calls`)).toMatch(/daemon-reload\n--quiet enable berth-agent\nrestart berth-agent/);
  });

  it('a machine that was no host has the commands of a host, with the rights of its agent', async () => {
    expect(await type('/opt/berth-agent/current/script/agent bases --json')).toContain('"bases"');
    expect(await type('find /var/lib/berth-agent ! -user berth-agent')).not.toContain('/var/lib');
  });

  it('a machine that was no host is upgraded by the script alone, and goes back by the commands of the guide', async () => {
    const releases = '/opt/berth-agent';
    // The release in use becomes an older one.
    await type(`mv -T "$(readlink -f ${releases}/current)" ${releases}/0.0.9 && ln -sfn 0.0.9 ${releases}/current`);
    expect(await follow(upgrade)).toContain('This machine is a host.');
    const findRelease = () =>
      type(`readlink ${releases}/current; tr '\\0' ' ' </proc/$(cat ${folder}/pid)/cmdline; echo`);
    expect(await findRelease()).not.toContain('0.0.9');
    expect(await follow(goBack)).toBe('');
    expect(await findRelease()).toContain('0.0.9');
    await waitFor(isOnline);
    expect(await ask('GET', '/v1/operator/hosts')).toHaveLength(1);
  });
});
