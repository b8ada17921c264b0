import type { IsolationFacts } from '../../launchers/wine/isolation/capabilities.ts';

/** The state of a machine. Everything that doctor reports follows from this alone. */
export interface HostFacts {
  system: { platform: string; name: string; kernel: string; isRoot: boolean };
  processor: { architecture: string; model: string; cores: number; hasAvx2: boolean };
  /** `limitBytes`: what the agent itself may use, where that is less. */
  memory: { totalBytes: number; availableBytes: number; limitBytes: number | undefined };
  disk: DiskFacts;
  wine: WineFacts;
  /** Paths of programs; undefined for missing ones. */
  programs: Readonly<Record<ProgramName, string | undefined>>;
  /** The version that bubblewrap reports. */
  bubblewrapVersion: string | undefined;
  fontFiles: number;
  /** What boxes can use on this machine, found out by starting one. */
  isolation: IsolationFacts;
  /** Yama's setting: above 1, programs may not inspect each other; undefined where the kernel has no Yama. */
  ptraceScope: number | undefined;
  windowProgram: 'fine' | 'missing' | 'changed';
  server: ServerFacts | undefined;
  /** Names of the bases by platform. */
  bases: Readonly<Record<'mt5' | 'mt4', readonly string[]>>;
  /** Names of the bases in which the terminal's MCP server is open. */
  basesWithMcp: readonly string[];
}

export const programNames = ['Xvfb', 'openbox', 'bwrap', 'pasta'] as const;

export type ProgramName = (typeof programNames)[number];

export interface DiskFacts {
  folder: string;
  /** Undefined where the folder cannot be inspected. */
  freeBytes: number | undefined;
  isWritable: boolean;
  /** Whether a copy can share its blocks with the original. */
  hasReflink: boolean;
}

export interface WineFacts {
  /** The loader that runs 64-bit programs, and the version that it reports. */
  loader: string | undefined;
  versionText: string | undefined;
  has32Bit: boolean;
}

export interface ServerFacts {
  url: string;
  /** Undefined when it answered. */
  failure: string | undefined;
  /** How far this machine's clock is ahead of the server's; undefined where the server does not send its time. */
  clockAheadMs: number | undefined;
}
