// @module-tag wine
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@berth/testing';
import {
  type BoxFiles,
  describeIsolation,
  findControlGroups,
  toBoxFiles,
  writeBoxFiles,
  writeNetworkFiles,
} from '@berth/testing/isolation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BoxSurroundings } from './support/box-surroundings.ts';
import {
  listProcessesOf,
  listProcessesWith,
  runInBox,
  startBox,
  toCallsScript,
  type BoxChanges,
  type TestBox,
} from './support/test-box.ts';

const isRoot = process.getuid?.() === 0;
const MIB = 1024 * 1024;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
/** Far from what a host gives to its terminals. */
const [ATTACKER, NEIGHBOUR] = [729_990, 729_991];
/** An address of this machine in a private network, made for the test. */
const PRIVATE = '10.253.87.1';
const LIMITS = { memoryBytes: 200 * MIB, processes: 80, cpuPercent: 100 };
const surroundings = new BoxSurroundings();
const CANARY = surroundings.canary;

const folder = mkdtempSync('/var/tmp/berth-boxes-');
const [agentFolder, own, theirs, shared] = ['agent', 'own', 'theirs', 'windows'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
  string,
];
let files: BoxFiles;

const giveFolder = (path: string, user: number) => execFileSync('chown', ['-hR', `${user}:${user}`, path]);

beforeAll(async () => {
  execFileSync('chmod', ['755', folder]);
  for (const path of [agentFolder, own, theirs, shared]) mkdirSync(path);
  files = await writeBoxFiles(join(folder, 'run'), { privateNetworks: [] });
  // Anybody may read them: what keeps them from a box is that they are not in it.
  writeFileSync(join(agentFolder, 'credential'), CANARY, { mode: 0o644 });
  writeFileSync(join(theirs, 'accounts.dat'), CANARY, { mode: 0o666 });
  writeFileSync(join(shared, 'kernel32.dll'), 'the base', { mode: 0o666 });
  process.env.BERTH_CANARY = CANARY;
  if (isRoot) {
    execFileSync('ip', ['address', 'add', `${PRIVATE}/32`, 'dev', 'lo']);
    giveFolder(own, ATTACKER);
    giveFolder(theirs, NEIGHBOUR);
    giveFolder(shared, ATTACKER);
  }
});

afterAll(async () => {
  await surroundings.close();
  if (isRoot) execFileSync('ip', ['address', 'del', `${PRIVATE}/32`, 'dev', 'lo']);
  rmSync(folder, { recursive: true, force: true });
});

const openGroup = (name: string) => surroundings.openGroup(name, LIMITS);

/** The box that attacks: with one folder of its own, and one that it only reads. */
const toAttacker = (changes: Partial<BoxChanges> = {}): BoxChanges => ({
  files,
  ...(isRoot ? { user: ATTACKER } : {}),
  mounts: {
    read: [],
    write: [{ from: own, to: '/own' }],
    readOver: [{ from: shared, to: '/own/windows' }],
    temporary: [],
  },
  ...changes,
});

/** The lines of a script's output as `first word → rest`. */
const toOutcomes = (output: string): Record<string, string> =>
  Object.fromEntries(
    output
      .split('\n')
      .filter(Boolean)
      .map((line): [string, string] => {
        const [name = '', ...rest] = line.split(' ');
        return [name, rest.join(' ')];
      }),
  );

/** All at once: where nobody answers, each waits. */
const connectTo = (targets: readonly string[]): string =>
  `for target in ${targets.join(' ')}; do
     (text=$(timeout 5 bash -c "cat < /dev/tcp/\${target/,/\\/}" 2> /dev/null) && echo "$target $text" || echo "$target closed") &
   done; wait`;

it('a box has no files of the host, of the agent or of another box', async () => {
  const paths = [
    '/etc/shadow',
    '/root',
    '/home/*/.ssh',
    '/var/lib',
    '/work',
    folder,
    `${agentFolder}/credential`,
    theirs,
    '/sys/fs/cgroup',
    '/boot',
    '/proc/sys/kernel/core_pattern_',
  ];
  const { output } = await runInBox(
    `for path in ${paths.join(' ')}; do [ -e "$path" ] && echo "there: $path"; done; grep -rsl ${CANARY} / --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr; echo looked; cat /etc/passwd`,
    toAttacker(),
  );
  expect(output).toBe('looked\ntrader:x:1000:1000:trader:/home/trader:/bin/sh\n');
});

it("a box has nothing of the agent's environment, descriptors or processes", async () => {
  const { output } = await runInBox(
    `cat /proc/*/environ | tr '\\0' '\\n' | sort -u; echo; for pid in /proc/[0-9]*; do echo "pid $(cat $pid/comm) $(cat $pid/status | grep -c Seccomp:.2)"; done; ls -l /proc/1/fd /proc/$$/fd | grep -v -E ' [012] -> |total|/proc/' ; id -u; echo 'done'`,
    toAttacker(),
  );
  expect(output).not.toContain(CANARY);
  const variables = output
    .slice(0, output.indexOf('\n\n'))
    .split('\n')
    .map((line) => line.split('=')[0]);
  expect(new Set(variables)).toEqual(
    new Set(['HOME', 'LANG', 'OLDPWD', 'PATH', 'PWD', 'SHLVL', '_'].filter((name) => variables.includes(name))),
  );
  const names = [...output.matchAll(/^pid (\S+) 1$/gm)].map(([, name]) => name);
  expect(new Set(names)).toEqual(new Set(['bwrap', 'bash']));
  expect(output).toMatch(/1000\ndone\n$/);
});

it('a box writes nowhere but in its own folder: not into the base, the system, or the folders that hold it', async () => {
  const { output } = await runInBox(
    `for path in /own/windows/kernel32.dll /usr/bin/new /new /etc/new /dev/new /proc/sys/kernel/hostname /own/file; do
         if ( echo changed > $path ) 2> /tmp/error; then echo "wrote $path"; fi; done
       rm -f /own/windows/kernel32.dll; mv /own/windows /own/gone; chmod 777 /own/windows; mknod /own/disk b 254 0 && echo made; echo 'done'`,
    toAttacker(),
  );
  expect(output.split('\n').filter((line) => line.startsWith('wrote') || line === 'made')).toEqual(['wrote /own/file']);
  expect(readFileSync(join(shared, 'kernel32.dll'), 'utf8')).toBe('the base');
});

it('a box is refused the calls that lead out of boxes', async () => {
  const NEW_USER = 0x1000_0011;
  const calls = [
    ['mount', 165, 0, 0, 0, 0, 0],
    ['umount2', 166, 0, 0],
    ['pivot_root', 155, 0, 0],
    ['unshare', 272, 0x1000_0000],
    ['setns', 308, 0, 0],
    ['clone', 56, NEW_USER, 0, 0, 0, 0],
    ['bpf', 321, 0, 0, 0],
    ['perf_event_open', 298, 0, 0, -1, -1, 0],
    ['userfaultfd', 323, 1],
    ['add_key', 248, 0, 0, 0, 0, -1],
    ['keyctl', 250, 0, -3, 0],
    ['io_uring_setup', 425, 1, 0],
    ['init_module', 175, 0, 0, 0],
    ['kexec_load', 246, 0, 0, 0, 0],
    ['open_by_handle_at', 304, 0, 0, 0],
    ['reboot', 169, 0, 0, 0],
    ['personality', 135, 0x0040_0000],
  ] as const;
  const absent = [
    ['clone3', 435, 0, 0],
    ['fsopen', 430, 0, 0],
    ['x32', 0x4000_0000 + 39],
    ['new', 600],
  ] as const;
  const sockets = [
    ['vsock', 41, 40, 1, 0],
    ['packet', 41, 17, 3, 0],
    ['alg', 41, 38, 5, 0],
  ] as const;
  const { output } = await runInBox(toCallsScript([...calls, ...absent, ...sockets]), toAttacker());
  expect(toOutcomes(output)).toEqual({
    ...Object.fromEntries(calls.map(([name]) => [name, String(EPERM)])),
    ...Object.fromEntries(absent.map(([name]) => [name, String(ENOSYS)])),
    ...Object.fromEntries(sockets.map(([name]) => [name, String(EAFNOSUPPORT)])),
  });
});

it('a box would be granted some of them without the filter, which shows that it is needed', async () => {
  const bare = toBoxFiles(join(folder, 'run-without-filter'));
  execFileSync('cp', ['-a', files.folder, bare.folder]);
  const allowAll = Buffer.from([0x06, 0, 0, 0, 0, 0, 0xff, 0x7f]);
  writeFileSync(bare.filters.plain, allowAll);
  const calls = [
    ['keyctl', 250, 0, -3, 1],
    ['personality', 135, 0x0040_0000],
    ['x32', 41, 38, 5, 0],
  ] as const;
  const { output } = await runInBox(toCallsScript([...calls]), toAttacker({ files: bare }));
  expect(toOutcomes(output).personality).toBe('ok');
  expect(toOutcomes(output).keyctl).toBe('ok');
  expect(readFileSync(files.filters.plain).equals(allowAll)).toBe(false);
});

it('a box has no rights, and gets none by programs that give some', async () => {
  const { output } = await runInBox(
    `grep -E '^(Cap|NoNewPrivs)' /proc/self/status; unshare -U true; su -c id; cat /proc/self/uid_map`,
    toAttacker(),
  );
  expect([...output.matchAll(/^Cap\w+:\t(\w+)$/gm)].map(([, bits]) => Number(bits))).toEqual([0, 0, 0, 0, 0]);
  expect(output).toContain('NoNewPrivs:\t1');
  expect(output).not.toContain('uid=0');
});

it("the network of a box reaches none of the host's ports but those let through, and no private network", async () => {
  const [open, closed, everywhere] = [
    await surroundings.listen('127.0.0.1'),
    await surroundings.listen('127.0.0.1'),
    await surroundings.listen('0.0.0.0'),
  ];
  const gateway = /via (\S+)/.exec(execFileSync('ip', ['-4', 'route', 'show', 'default'], { encoding: 'utf8' }))?.[1];
  const address = /src (\S+)/.exec(
    execFileSync('ip', ['-4', 'route', 'get', '192.88.99.1'], { encoding: 'utf8' }),
  )?.[1];
  const closedTargets = [
    ['127.0.0.1', closed],
    ['127.0.0.1', everywhere],
    ['0.0.0.0', everywhere],
    ['::1', everywhere],
    [gateway, everywhere],
    [gateway, closed],
    [address, everywhere],
    [PRIVATE, everywhere],
    ['169.254.169.254', 80],
    ['169.254.1.53', everywhere],
    ['192.168.1.1', 80],
    ['172.17.0.1', everywhere],
    ['100.64.0.1', 80],
    ['fd00::1', everywhere],
    ['64:ff9b::a00:1', 80],
  ].map((target) => target.join(','));
  const { output } = await runInBox(
    connectTo([...closedTargets, `127.0.0.1,${open}`]),
    toAttacker({ hostPorts: [open] }),
  );
  expect(toOutcomes(output)).toEqual({
    ...Object.fromEntries(closedTargets.map((target) => [target, 'closed'])),
    [`127.0.0.1,${open}`]: CANARY,
  });
});

it(
  'the network of a box would reach them without its rules, and the loopback by the gateway, which shows that both are needed',
  { tags: ['root'] },
  async () => {
    const port = await surroundings.listen('0.0.0.0');
    const gateway = /via (\S+)/.exec(execFileSync('ip', ['-4', 'route', 'show', 'default'], { encoding: 'utf8' }))![1]!;
    const bare = toBoxFiles(join(folder, 'run-without-rules'));
    execFileSync('cp', ['-a', files.folder, bare.folder]);
    for (const path of Object.values(bare.rules)) writeFileSync(path, '');
    const withoutRules = await runInBox(connectTo([`${PRIVATE},${port}`]), toAttacker({ files: bare }));
    expect(toOutcomes(withoutRules.output)[`${PRIVATE},${port}`]).toBe(CANARY);
    const mapped = await runInBox(connectTo([`${gateway},${port}`]), toAttacker({ files: bare }), (args) =>
      args.filter((text) => text !== '--no-map-gw'),
    );
    expect(toOutcomes(mapped.output)[`${gateway},${port}`]).toBe(CANARY);
  },
);

it('the network of a box reaches a private network that the operator excepts', { tags: ['root'] }, async () => {
  const port = await surroundings.listen(PRIVATE);
  const excepting = await writeBoxFiles(join(folder, 'run-excepting'), { privateNetworks: [`${PRIVATE}/32`] });
  const { output } = await runInBox(connectTo([`${PRIVATE},${port}`]), toAttacker({ files: excepting }));
  expect(toOutcomes(output)).toEqual({ [`${PRIVATE},${port}`]: CANARY });
});

it(
  'the network of a box does not reach an address that the host got after its agent was started',
  { tags: ['root'] },
  async () => {
    const late = '203.0.114.9';
    execFileSync('ip', ['address', 'add', `${late}/32`, 'dev', 'lo']);
    try {
      const port = await surroundings.listen(late);
      const before = await runInBox(connectTo([`${late},${port}`]), toAttacker());
      expect(toOutcomes(before.output)).toEqual({ [`${late},${port}`]: CANARY });
      await writeNetworkFiles(files, { privateNetworks: [] });
      const { output } = await runInBox(connectTo([`${late},${port}`]), toAttacker());
      expect(toOutcomes(output)).toEqual({ [`${late},${port}`]: 'closed' });
    } finally {
      execFileSync('ip', ['address', 'del', `${late}/32`, 'dev', 'lo']);
    }
  },
);

it('the network of a box does not start where its rules cannot be set', async () => {
  const broken = toBoxFiles(join(folder, 'run-broken'));
  execFileSync('cp', ['-a', files.folder, broken.folder]);
  writeFileSync(broken.rules[4], 'rule add to nowhere unreachable\n');
  const { code, output } = await runInBox('echo started', toAttacker({ files: broken }));
  expect(code).toBe(72);
  expect(output).not.toContain('started');
});

it("the network of a box cannot change its rules or look at others' packets", async () => {
  const { output } = await runInBox(
    'PATH=$PATH:/usr/sbin; ip rule del priority 40; ip route add 10.0.0.0/8 dev lo; ip link set lo down; ip rule | grep -c unreachable',
    toAttacker(),
  );
  expect(output.match(/Operation not permitted/g)?.length).toBe(3);
  expect(Number(output.trim().split('\n').at(-1))).toBeGreaterThan(10);
});

describe.each([
  { whose: 'under users and limits of their own', isOwn: true },
  { whose: 'under one user, without control groups', isOwn: false },
])('two boxes $whose', ({ isOwn }) => {
  let neighbour: TestBox;
  let attacker: () => BoxChanges;
  const beats = () => (neighbour.output().match(/beat/g) ?? []).length;
  /** The neighbour has answered once more since now: it starts a process, writes to its disks, and reports that. */
  const expectNeighbour = async () => {
    const before = beats();
    await waitFor(() => beats() > before + 1, { what: 'a sign of life of the neighbour' });
  };

  beforeAll(async () => {
    if (isOwn && !isRoot) return;
    const limits = { fileSizeBytes: 32 * MIB, openFiles: 512, processes: 60 };
    const [ours, others] = isOwn ? [await openGroup('attacker'), await openGroup('neighbour')] : [];
    attacker = () =>
      toAttacker({ joinFiles: ours?.joinFiles ?? [], limits: isOwn ? limits : { ...limits, dataBytes: 200 * MIB } });
    const mark = `while :; do sleep 0.2; echo there > /own/live && echo there > /tmp/live && echo beat; done # neighbour-${CANARY}`;
    neighbour = startBox(mark, {
      files,
      ...(isRoot ? { user: isOwn ? NEIGHBOUR : ATTACKER } : {}),
      joinFiles: others?.joinFiles ?? [],
      mounts: { read: [], write: [{ from: isOwn ? theirs : own, to: '/own' }], temporary: [] },
    });
    await neighbour.waitForOutput(/beat/);
  });

  afterAll(async () => {
    await neighbour?.close();
  });

  const attack = it.runIf(!isOwn || isRoot);

  attack('do not see each other, and one that kills whatever it can kills only itself', async () => {
    const { output } = await runInBox(
      `grep -l neighbou[r]-${CANARY} /proc/*/cmdline; ls /tmp | grep live; sleep 600 & kill -9 -1; for pid in $(seq 2 70000); do [ $pid = $$ ] || kill -9 $pid 2> /dev/null; done; echo alone`,
      attacker(),
    );
    expect(output).toContain('alone');
    expect(output).not.toContain('cmdline');
    await expectNeighbour();
  });

  attack('are not disturbed when one forks without end', async () => {
    const { output } = await runInBox(
      `perl -e 'while (1) { my $p = fork; last unless defined $p; if (!$p) { sleep 600 } $n++ } $| = 1; print "forks $n\\n"; sleep 2'`,
      attacker(),
    );
    expect(Number(/forks (\d+)/.exec(output)?.[1])).toBeLessThan(80);
    await expectNeighbour();
  });

  attack('are not disturbed when one eats memory', async () => {
    const { output } = await runInBox(
      `perl -e '$x .= "x" x 1e7 while length $x < 3e9; print "a", "te"'; echo "ended $?"`,
      attacker(),
    );
    expect(output).not.toContain('ate');
    expect(output).toMatch(/ended (137|1|12)\n/);
    await expectNeighbour();
  });

  attack('are not disturbed when one fills its disks', async () => {
    const { output } = await runInBox(
      `for path in /own/big /tmp/big /dev/shm/big /run/big; do head -c 400M /dev/zero > $path; echo "$path $(stat -c %s $path)"; done 2> /dev/null; rm /own/big; echo 'done'`,
      attacker(),
    );
    const sizes = Object.values(toOutcomes(output))
      .map(Number)
      .filter((size) => size > 0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200 * MIB);
    await expectNeighbour();
  });

  attack('end as a whole, whatever runs in them, when their first process is killed', async () => {
    const box = startBox(
      `for n in 1 2 3; do setsid nohup sleep 6000${process.pid} > /dev/null & done; echo 'ready'; wait`,
      attacker(),
    );
    await box.waitForOutput(/ready/);
    const here = () => listProcessesWith(`6000${process.pid}`);
    expect(here().length).toBeGreaterThan(3);
    await box.close();
    await waitFor(() => here().length === 0, { what: 'the end of all processes of the box' });
    if (isOwn) await waitFor(() => listProcessesOf(ATTACKER).length === 0, { what: "the end of the user's processes" });
    await expectNeighbour();
  });
});

it('what a host says of its isolation is what came out when a box was started', async () => {
  const facts = await describeIsolation({ wanted: 'full', files, shared: [] });
  expect(facts.blocking).toEqual([]);
  expect(facts).toMatchObject({ level: 'full', network: 'closed', seccomp: true, users: isRoot ? 'own' : 'shared' });
  expect(facts.limits).toBe((await findControlGroups()).kind);
});

it('what a host says of its isolation names what keeps boxes from starting', async () => {
  const facts = await describeIsolation({ wanted: 'full', files: toBoxFiles(join(folder, 'nowhere')), shared: [] });
  expect(facts.blocking).toHaveLength(1);
  expect(facts.obstacles[0]).toBe(facts.blocking[0]);
});

it(
  'what a host says of its isolation names a Wine that the users of terminals may not reach, and what to do',
  { tags: ['root'] },
  async () => {
    const wine = join(folder, 'closed/wine');
    mkdirSync(wine, { recursive: true });
    chmodSync(join(folder, 'closed'), 0o700);
    const facts = await describeIsolation({ wanted: 'full', files, shared: [{ from: wine, to: wine }] });
    expect(facts.blocking).toEqual([expect.stringMatching(`may not enter ${wine}\\. Let others enter`)]);
  },
);

it('what a host says of its isolation says so where there is none', async () => {
  const facts = await describeIsolation({ wanted: 'none', files, shared: [] });
  expect(facts).toMatchObject({ level: 'none', users: 'shared', limits: 'none', network: 'host', seccomp: false });
  expect(facts.obstacles).toHaveLength(1);
});
