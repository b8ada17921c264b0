import type { HostFacts } from '../../src/commands/doctor/host-facts.ts';

const GIGA = 1024 ** 3;

/** A bare Debian 13 on which everything was installed, as doctor would see it. */
export const goodHost: HostFacts = {
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
