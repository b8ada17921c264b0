import { expect, test } from 'vitest';
import type { HostFacts } from '../src/commands/doctor/host-facts.ts';
import { toMachineFindings } from '../src/commands/doctor/machine-findings.ts';
import { toOffers, toTerminalCount } from '../src/commands/doctor/offers.ts';
import { toDoctorText } from '../src/commands/doctor/report.ts';
import { toIsolationFindings } from '../src/commands/doctor/isolation-findings.ts';
import { toWineFindings } from '../src/commands/doctor/wine-findings.ts';
import { findWineVersion, judgeWineVersion } from '../src/commands/doctor/wine-versions.ts';

const GIGA = 1024 ** 3;

/** A bare Debian 13 on which everything was installed, as doctor would see it. */
const goodHost: HostFacts = {
  system: { platform: 'linux', name: 'Debian GNU/Linux 13 (trixie)', kernel: '6.12.48', isRoot: true },
  processor: { architecture: 'x64', model: 'AMD EPYC 7543', cores: 4, hasAvx2: true },
  memory: { totalBytes: 16 * GIGA, availableBytes: 15 * GIGA, limitBytes: undefined },
  disk: { folder: '/srv/berth', freeBytes: 90 * GIGA, isWritable: true, hasReflink: false },
  wine: { loader: '/usr/lib/wine/wine64', versionText: 'wine-10.0 (Debian 10.0~repack-6)', has32Bit: true },
  programs: {
    Xvfb: '/usr/bin/Xvfb',
    openbox: '/usr/bin/openbox',
    bwrap: '/usr/bin/bwrap',
    pasta: '/usr/bin/pasta',
  },
  bubblewrapVersion: 'bubblewrap 0.12.0',
  fontFiles: 40,
  isolation: {
    level: 'full',
    users: 'own',
    limits: 'v2',
    network: 'closed',
    seccomp: true,
    obstacles: [],
    blocking: [],
  },
  ptraceScope: 1,
  windowProgram: 'fine',
  server: { url: 'https://berth.example.com', failure: undefined, clockAheadMs: 120 },
  bases: { mt5: ['default'], mt4: [] },
  basesWithMcp: [],
};

const page = { width: 80, hasColour: false };

const examine = (changes: Partial<HostFacts> = {}, isolation: 'full' | 'none' = 'full') => {
  const facts = { ...goodHost, ...changes };
  const terminals = toTerminalCount(facts, GIGA);
  const findings = [...toMachineFindings(facts, terminals), ...toWineFindings(facts), ...toIsolationFindings(facts)];
  const offers = toOffers(facts, findings, { isolation, terminals });
  const text = toDoctorText(page, findings, offers);
  const verdict = text.split('\n\n').at(-1)?.replaceAll('\n', ' ').trim();
  const isOffered = (platform: string) => offers.find((offer) => offer.platform === platform)?.isOffered;
  const find = (check: string) => findings.find((finding) => finding.check === check);
  return { findings, offers, text, verdict, isOffered, find };
};

test('the doctor finds nothing wrong with a host where everything is there, and says what it can offer', () => {
  const { findings, verdict } = examine();
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
  expect(verdict).toBe(
    'This host can offer MetaTrader 5 and MetaTrader 4 under Wine, for 15 terminals, fully isolated, each with a user and limits of its own.',
  );
});

test.each<[string, Partial<HostFacts>, { mt5: boolean; mt4: boolean; problem: string }]>([
  [
    'another processor',
    { processor: { ...goodHost.processor, architecture: 'arm64' } },
    { mt5: false, mt4: false, problem: 'processor' },
  ],
  [
    'too little memory',
    { memory: { totalBytes: GIGA, availableBytes: GIGA, limitBytes: undefined } },
    { mt5: false, mt4: false, problem: 'memory' },
  ],
  [
    'a folder that cannot be written',
    { disk: { ...goodHost.disk, isWritable: false } },
    { mt5: false, mt4: false, problem: 'disk' },
  ],
  [
    'no Wine',
    { wine: { loader: undefined, versionText: undefined, has32Bit: false } },
    { mt5: false, mt4: false, problem: 'wine' },
  ],
  ['no 32-bit Wine', { wine: { ...goodHost.wine, has32Bit: false } }, { mt5: true, mt4: false, problem: 'wine32' }],
  ['no screen', { programs: { ...goodHost.programs, Xvfb: undefined } }, { mt5: false, mt4: false, problem: 'xvfb' }],
  [
    'no window manager',
    { programs: { ...goodHost.programs, openbox: undefined } },
    { mt5: false, mt4: false, problem: 'window-manager' },
  ],
  [
    'no bubblewrap',
    { programs: { ...goodHost.programs, bwrap: undefined } },
    { mt5: false, mt4: false, problem: 'bubblewrap' },
  ],
  [
    'no closed network',
    { programs: { ...goodHost.programs, pasta: undefined } },
    { mt5: false, mt4: false, problem: 'network' },
  ],
  ['a changed window program', { windowProgram: 'changed' }, { mt5: false, mt4: false, problem: 'window-program' }],
])('the doctor says what to do about %s', (_title, changes, { mt5, mt4, problem }) => {
  const { isOffered, find, offers, text } = examine(changes);
  expect({ mt5: isOffered('mt5'), mt4: isOffered('mt4') }).toEqual({ mt5, mt4 });
  expect(find(problem)?.advice).toMatch(/\.$/);
  expect(offers.find(({ isOffered: isThere }) => !isThere)?.obstacles).toContain(problem);
  expect(text).toContain(mt5 ? 'can offer MetaTrader 5' : 'no real terminals yet');
});

test('the doctor offers terminals without a box only to those who ask for that, and says so', () => {
  const bare = { programs: { ...goodHost.programs, bwrap: undefined, pasta: undefined } };
  expect(examine(bare).isOffered('mt5')).toBe(false);
  const { isOffered, text } = examine(bare, 'none');
  expect(isOffered('mt5')).toBe(true);
  expect(text).toContain('NOT isolated');
});

test('the doctor names what an ordinary user lacks, without refusing', () => {
  const isolation = { ...goodHost.isolation, users: 'shared', limits: 'none' } as const;
  const { isOffered, find, verdict } = examine({ isolation, system: { ...goodHost.system, isRoot: false } });
  expect(isOffered('mt5')).toBe(true);
  expect(find('users')?.level).toBe('note');
  expect(find('limits')?.level).toBe('note');
  expect(verdict).toContain('for 15 terminals, fully isolated.');
});

test('the doctor gives the words of what was tried and did not work', () => {
  const sentence = 'User namespaces are off. Switch them on.';
  const isolation = { ...goodHost.isolation, obstacles: [sentence], blocking: [sentence] };
  const { isOffered, find } = examine({ isolation });
  expect(isOffered('mt5')).toBe(false);
  expect(find('isolation')?.seen).toBe(sentence);
});

test('the doctor counts no memory that the agent may not use', () => {
  const memory = { ...goodHost.memory, limitBytes: 4 * GIGA };
  expect(examine({ memory }).offers[0]?.terminals).toBe(3);
});

test('the doctor warns of a clock that is off, and of a server that does not answer', () => {
  const url = 'https://berth.example.com';
  const late = examine({ server: { url, failure: undefined, clockAheadMs: -61_000 } });
  expect(late.find('clock')).toMatchObject({ level: 'note', seen: "61 s behind the server's" });
  const silent = examine({ server: { url, failure: 'connect ECONNREFUSED', clockAheadMs: undefined } });
  expect(silent.find('server')?.seen).toContain('ECONNREFUSED');
  expect(silent.find('clock')).toBeUndefined();
});

test('the doctor says whether the MCP server of terminals is closed', () => {
  expect(examine().find('mcp')).toMatchObject({ level: 'ok' });
  expect(examine({ basesWithMcp: ['old'] }).find('mcp')).toMatchObject({
    level: 'note',
    seen: 'open in the bases old',
  });
});

test('the doctor says that terminals without a box would run as root', () => {
  const isolation = { ...goodHost.isolation, level: 'none' } as const;
  expect(examine({ isolation }, 'none').find('root')).toMatchObject({ level: 'note' });
  expect(examine({ isolation, system: { ...goodHost.system, isRoot: false } }, 'none').find('root')).toBeUndefined();
  expect(examine().find('root')).toBeUndefined();
});

test('the doctor adds up what to install', () => {
  const programs = { ...goodHost.programs, Xvfb: undefined, pasta: undefined };
  expect(examine({ programs }).text).toContain('apt install xvfb passt\n');
});

test('the doctor prints nothing of what others said that could draw on a terminal window', () => {
  const server = { url: 'https://berth.example.com', failure: '\u001b[2Jbad\u0007', clockAheadMs: undefined };
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  expect(examine({ server }).text).not.toMatch(/[\u0007\u001b]/);
});

test('the doctor keeps to the width of the window', () => {
  const lines = examine({ wine: { loader: undefined, versionText: undefined, has32Bit: false } }).text.split('\n');
  expect(lines.filter((line) => line.length > page.width)).toEqual([]);
});

test.each([
  ['wine-8.0 (Debian 8.0~repack-4)', 'old'],
  ['wine-9.0 (Ubuntu 9.0~repack-4build3)', 'good'],
  ['wine-10.0 (Debian 10.0~repack-6)', 'good'],
  ['wine-10.2', 'untried'],
  ['wine-10.3', 'bad'],
  ['wine-10.20 (Staging)', 'good'],
  ['wine-10.20', 'bad'],
  ['wine-11.0', 'bad'],
  ['wine-11.4 (Staging)', 'bad'],
  ['wine-11.17', 'bad'],
  ['wine-12.0', 'untried'],
])('versions of Wine: %s is %s', (text, verdict) => {
  const version = findWineVersion(text);
  expect(version && judgeWineVersion(version).verdict).toBe(verdict);
});

test('versions of Wine are not guessed from other texts', () => {
  expect(findWineVersion('it looks like wine32 is missing')).toBeUndefined();
});
