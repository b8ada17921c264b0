import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { type NetworkInterfaceInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toBoxCommand } from '../src/launchers/wine/isolation/box-command.ts';
import { toBoxFiles, writeBoxFiles } from '../src/launchers/wine/isolation/box-files.ts';
import { createBoxUsers } from '../src/launchers/wine/isolation/box-users.ts';
import { openControlGroup } from '../src/launchers/wine/isolation/control-group.ts';
import { findControlGroups, toMountedTrees } from '../src/launchers/wine/isolation/control-groups.ts';
import {
  isNetwork,
  listHostAddresses,
  toResolverFile,
  toRoutingRules,
} from '../src/launchers/wine/isolation/network.ts';
import { useFolder } from './support/use-folder.ts';

let folder: string;
useFolder((path) => (folder = path));

const open = (last = 720_009) => createBoxUsers({ folder: join(folder, 'uids'), first: 720_000, last });
const makeOwner = async (name: string) => {
  await mkdir(join(folder, name));
  return join(folder, name);
};

it('users of boxes are claimed once: a box keeps its own, and no two boxes share one, also between agents', async () => {
  const owners = await Promise.all(Array.from({ length: 10 }, (_, index) => makeOwner(`box-${index}`)));
  const agents = [open(), open()];
  const claimed = await Promise.all(owners.map((owner, index) => agents[index % 2]!.claim(owner)));
  expect(new Set(claimed).size).toBe(10);
  expect(await Promise.all(owners.map((owner) => open().claim(owner)))).toEqual(claimed);
});

it('users of boxes are one for a box that several agents claim at once', async () => {
  for (let round = 0; round < 10; round += 1) {
    const owner = await makeOwner(`shared-${round}`);
    const claimed = await Promise.all(Array.from({ length: 4 }, () => open(720_019).claim(owner)));
    expect(new Set(claimed).size).toBe(1);
    expect(await open(720_019).find(owner)).toBe(claimed[0]);
  }
  expect(await readdir(join(folder, 'uids'))).toHaveLength(11);
});

it('users of boxes of boxes that are gone go to one next box each, though agents sweep at once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const gone = await Promise.all([1, 2, 3, 4].map((index) => makeOwner(`gone-${round}-${index}`)));
    for (const owner of gone) await open(720_003).claim(owner);
    for (const owner of gone) await rm(owner, { recursive: true });
    const owners = await Promise.all([1, 2, 3, 4].map((index) => makeOwner(`next-${round}-${index}`)));
    const claimed = await Promise.all(owners.map((owner) => open(720_003).claim(owner)));
    expect(new Set(claimed).size).toBe(4);
    expect(await Promise.all(owners.map((owner) => open().find(owner)))).toEqual(claimed);
    for (const owner of owners) await open(720_003).release(owner);
  }
});

it('users of boxes run out with a word on what to do, and are free again when given back', async () => {
  const [one, other] = [await makeOwner('one'), await makeOwner('other')];
  const users = open(720_000);
  expect(await users.claim(one)).toBe(720_000);
  await expect(users.claim(other)).rejects.toThrow('a wider range');
  await users.release(one);
  await users.release(one);
  expect(await users.find(one)).toBeUndefined();
  expect(await users.claim(other)).toBe(720_000);
});

it('users of boxes of a box that is gone go to the next', async () => {
  const [gone, next] = [await makeOwner('gone'), await makeOwner('next')];
  const users = open(720_000);
  await users.claim(gone);
  await rm(gone, { recursive: true });
  expect(await users.claim(next)).toBe(720_000);
  expect(await readdir(join(folder, 'uids'))).toEqual(['.lock', '720000']);
});

it('users of boxes are claimed though an agent was killed in the middle of a claim', async () => {
  const register = join(folder, 'uids');
  await mkdir(register);
  await writeFile(join(register, '.draft'), '/a/box/that/nobody/wrote/to/its/end');
  expect(await open().claim(await makeOwner('one'))).toBe(720_000);
  expect((await readdir(register)).sort()).toEqual(['.lock', '720000']);
});

it('users of boxes are refused with a word on what to do where the register cannot be locked', async () => {
  await mkdir(join(folder, 'uids/.lock'), { recursive: true });
  await expect(open().claim(await makeOwner('one'))).rejects.toThrow(/cannot lock .*rights/);
});

it('the network of a box is closed towards what is private, with the exceptions that the operator makes standing before', () => {
  const rules = toRoutingRules({ privateNetworks: ['10.1.0.0/16', 'fd12::/48'], hostAddresses: ['203.0.113.9'] });
  const lines = rules[4].split('\n');
  expect(lines).toContain('rule add priority 40 to 169.254.0.0/16 unreachable');
  expect(lines).toContain('rule add priority 20 to 203.0.113.9 unreachable');
  expect(lines).toContain('rule add priority 30 to 10.1.0.0/16 lookup main');
  expect(rules[6].split('\n')).toContain('rule add priority 30 to fd12::/48 lookup main');
  expect(rules[4]).not.toContain('::');
});

it('the network of a box is open towards the host itself only where the operator excepts its very address', () => {
  const toLines = (privateNetworks: string[]) =>
    toRoutingRules({ privateNetworks, hostAddresses: ['10.1.0.9'] })[4].split('\n');
  const closed = 'rule add priority 20 to 10.1.0.9 unreachable';
  expect(toLines(['10.1.0.0/16'])).toContain(closed);
  for (const exception of ['10.1.0.9', '10.1.0.9/32']) expect(toLines([exception])).not.toContain(closed);
});

it('the network of a box is closed towards every address of the host but its loopback, whichever interface has it', () => {
  const at = (address: string) => ({ address, internal: address !== '203.0.113.9' }) as NetworkInterfaceInfo;
  const lo = ['127.0.0.1', '127.8.0.1', '198.51.7.7', '::1', '2001:db8::7'].map(at);
  const addresses = listHostAddresses({ lo, eth0: [at('203.0.113.9')] });
  expect(addresses).toEqual(['198.51.7.7', '2001:db8::7', '203.0.113.9']);
});

it('the network of a box asks for names where the host does, by an address of its own', () => {
  expect(toResolverFile('search lan\nnameserver 192.168.1.1\n')).toContain('nameserver 169.254.1.53\n');
  expect(toResolverFile('nameserver 2001:db8::1')).not.toContain('169.254');
  expect(toResolverFile('')).toContain('nameserver 169.254.1.53');
});

it('the network of a box takes networks and addresses, and no other text, as exceptions', () => {
  expect(['10.0.0.0/8', '10.1.2.3', 'fd00::/8'].map(isNetwork)).toEqual([true, true, true]);
  expect(['10.0.0.0/33', 'lan', '10.0.0.0/8/8', '10.0.0.0/8 unreachable', ''].map(isNetwork)).toEqual(
    Array(5).fill(false),
  );
});

const toPlan = (changes: object = {}) =>
  toBoxCommand({
    files: toBoxFiles('/files'),
    joinFiles: [],
    hostPorts: [],
    limits: { fileSizeBytes: 1, openFiles: 2, processes: 3 },
    allows32Bit: false,
    mounts: { read: [], write: [], temporary: [] },
    environment: { LANG: 'C.UTF-8' },
    folder: '/',
    command: ['/bin/true'],
    ...changes,
  });

it('the command of a box becomes the user before anything of the box runs, and joins the groups before that', () => {
  const { args } = toPlan({ user: 720_001, joinFiles: ['/group/cgroup.procs'] });
  const places = ['/group/cgroup.procs', '--reuid=720001', '/usr/bin/pasta', '/usr/bin/bwrap', '/bin/true'];
  const indexes = places.map((text) => args.indexOf(text));
  expect(indexes).not.toContain(-1);
  expect(indexes).toEqual([...indexes].sort((one, other) => one - other));
});

it('the command of a box needs no root where the agent is a plain user', () => {
  expect(toPlan().args).not.toContain('/usr/bin/setpriv');
});

it('the command of a box lets chosen ports of the host through, and the filter that its programs need', () => {
  const { args } = toPlan({ hostPorts: [5000, 5001], allows32Bit: true });
  expect(args[args.indexOf('-T') + 1]).toBe('5000,5001');
  expect(args).toContain('/files/calls-with-32-bit.bpf');
  const closed = toPlan().args;
  expect(closed[closed.indexOf('-T') + 1]).toBe('none');
});

it('the command of a box finds files that any user can read, and none can change', async () => {
  await chmod(folder, 0o711);
  const files = await writeBoxFiles(join(folder, 'run'), { privateNetworks: [] });
  expect(files).toEqual(toBoxFiles(join(folder, 'run')));
  const paths = [...Object.values(files.filters), ...Object.values(files.rules), join(files.etc, 'resolv.conf')];
  for (const path of paths) expect(((await lstat(path)).mode & 0o777).toString(8)).toBe('644');
  expect(await readFile(join(files.etc, 'passwd'), 'utf8')).toBe('trader:x:1000:1000:trader:/home/trader:/bin/sh\n');
});

const limits = { memoryBytes: 64 * 1024 * 1024, processes: 20, cpuPercent: 50 };
const name = `berth-test-${process.pid}`;
/** A shell in the group; it starts what it is sent. */
const startIn = async (joinFiles: readonly string[], script: string) => {
  const join = 'while [ "$1" != -- ]; do echo 0 > "$1"; shift; done; eval "$2"';
  const child = spawn('/bin/sh', ['-c', join, 'sh', ...joinFiles, '--', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child, 'spawn');
  return child;
};

it('control groups are found by their mounts, of either version', () => {
  const text = [
    '31 30 0:26 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct',
    '25 24 0:22 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate',
    '26 24 0:23 / /proc rw - proc proc rw',
  ].join('\n');
  expect(toMountedTrees(text)).toEqual([
    { folder: '/sys/fs/cgroup/cpu,cpuacct', version: 1, options: ['rw', 'cpu', 'cpuacct'] },
    { folder: '/sys/fs/cgroup', version: 2, options: ['rw', 'nsdelegate'] },
  ]);
});

it('control groups of a plain user who was given none are none, with a word on what to do', async () => {
  const groups = await findControlGroups();
  if (groups.kind === 'none') expect(groups.obstacle).toMatch(/root|systemd/);
  else expect(groups.obstacle).toBeUndefined();
  expect(() => groups.open('x').joinFiles).not.toThrow();
});

it(
  'control groups hold memory, processes and processor, are measured, ended as a whole and leave nothing',
  { tags: ['root', 'control-groups'] },
  async () => {
    const group = (await findControlGroups()).open(name);
    await group.ensure({ ...limits, memoryBytes: 2 * limits.memoryBytes });
    await group.ensure(limits);
    try {
      const hog = await startIn(group.joinFiles, `perl -e '$x = "x" x 200_000_000; print length $x'`);
      expect(await once(hog, 'exit')).not.toEqual([0, null]);
      const forks = await startIn(group.joinFiles, 'for n in $(seq 40); do sleep 600 & done; echo done; wait');
      await once(forks, 'exit');
      const left = await group.listProcesses();
      expect(left.length).toBeLessThanOrEqual(limits.processes);
      expect((await group.measure())!.memoryBytes).toBeLessThanOrEqual(limits.memoryBytes);
      await group.kill();
      expect(await group.listProcesses()).toEqual([]);
    } finally {
      await group.kill();
      await group.remove();
    }
    await group.remove();
    expect(await group.measure()).toBeUndefined();
    expect(execFileSync('find', ['/sys/fs/cgroup', '-name', name], { encoding: 'utf8' })).toBe('');
  },
);

const unified = toMountedTrees(execFileSync('cat', ['/proc/self/mountinfo'], { encoding: 'utf8' })).find(
  ({ version }) => version === 2,
)?.folder;

it.runIf(unified)(
  'control groups of version 2 are joined, listed, ended and removed (limits: only with their controllers)',
  { tags: ['root'] },
  async () => {
    const group = openControlGroup({ version: 2, folder: join(unified!, 'berth-test') }, name);
    const place = join(unified!, 'berth-test', name);
    await mkdir(place, { recursive: true });
    try {
      const child = await startIn(group.joinFiles, 'sleep 600 & echo there; wait');
      await once(child.stdout, 'data');
      expect((await group.listProcesses()).length).toBe(2);
      const end = once(child, 'exit');
      await group.kill();
      expect(await end).toEqual([null, 'SIGKILL']);
    } finally {
      await group.kill();
      await group.remove();
      await rmdir(join(unified!, 'berth-test'));
    }
  },
);

it('control groups of version 2 get their limits in the format of the kernel, and are measured by its files', async () => {
  const place = join(folder, 'box');
  const group = openControlGroup({ version: 2, folder }, 'box');
  expect(await group.measure()).toBeUndefined();
  await group.ensure(limits);
  const settings = ['memory.max', 'memory.swap.max', 'pids.max', 'cpu.max'];
  const written = await Promise.all(settings.map((file) => readFile(join(place, file), 'utf8')));
  expect(written).toEqual([String(64 * 1024 * 1024), '0', '20', '50000 100000']);
  // In the form that the kernel documents; nobody recorded them yet from a machine that has these controllers.
  await writeFile(join(place, 'memory.current'), '109379584\n');
  await writeFile(join(place, 'memory.stat'), 'anon 61440000\nfile 40960000\ninactive_file 9379584\nactive_file 0\n');
  await writeFile(join(place, 'cpu.stat'), 'usage_usec 1234567\nuser_usec 1000000\nsystem_usec 234567\n');
  expect(await group.measure()).toEqual({ memoryBytes: 100_000_000, cpuMs: 1235 });
});

it('control groups are named so that they cannot be anywhere else', () => {
  expect(() => openControlGroup({ version: 2, folder: '/sys/fs/cgroup' }, '../other')).toThrow('no name');
});
