/** An operator's settings for terminals under Wine. Read by the agent and by its commands. */
import type { EnvReader } from '@berth/kit';

export interface WineSettings {
  /** `none` starts terminals as the agent's own user, with all its rights: for operators who insist. */
  isolation: 'full' | 'none';
  /** What one terminal may use, with all its processes. 100 % is one processor, 200 are two. */
  limits: { memoryBytes: number; processes: number; cpuPercent: number; diskBytes: number; diskEntries: number };
  /** The users that terminals run as if the agent is root: one for each. */
  users: { first: number; last: number };
  /** Networks that a terminal may reach although they are private. */
  privateNetworks: string[];
  /** Ports of the host's loopback that a terminal may reach. */
  hostPorts: number[];
  screen: { width: number; height: number };
  /** Whether the screen supports OpenGL: it takes 30 MB more. */
  hasGlx: boolean;
  /** The folder of Wine's programs; undefined to search for it. */
  wineFolder: string | undefined;
  /** WINEDEBUG of the terminals. Unset by default: a terminal may take any value for a debugger. */
  wineDebug: string | undefined;
  /** The folder of the window program and its checksum. */
  programFolder: string;
}

const MEBIBYTE = 1024 * 1024;

const readUsers = (env: EnvReader): WineSettings['users'] => {
  const name = 'BERTH_AGENT_BOX_UIDS';
  const [, first, last] = /^(\d{1,10})-(\d{1,10})$/.exec(env.text(name) ?? '720000-729999') ?? [];
  const users = { first: Number(first), last: Number(last) };
  const isRange = users.first >= 1000 && users.first <= users.last && users.last < 2 ** 32 - 2;
  if (!isRange) env.reject(name, 'must be a range of user numbers from 1000 on, such as 720000-729999');
  return users;
};

const readList = (env: EnvReader, name: string): string[] =>
  (env.text(name) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const readPrivateNetworks = (env: EnvReader): string[] => {
  const name = 'BERTH_AGENT_PRIVATE_NETWORKS';
  const networks = readList(env, name);
  const isNetwork = (text: string) => /^[\da-fA-F:.]{2,45}(\/\d{1,3})?$/.test(text);
  if (!networks.every(isNetwork)) env.reject(name, 'must list networks, such as 192.168.1.0/24,10.1.2.3');
  return networks;
};

const readHostPorts = (env: EnvReader): number[] => {
  const name = 'BERTH_AGENT_HOST_PORTS';
  const ports = readList(env, name).map(Number);
  const isPort = (port: number) => Number.isInteger(port) && port >= 1 && port <= 65_535;
  if (!ports.every(isPort)) env.reject(name, 'must list ports, such as 8228,9001');
  return ports;
};

const readScreen = (env: EnvReader): WineSettings['screen'] => {
  const name = 'BERTH_AGENT_SCREEN';
  const [, width, height] = /^(\d{3,4})x(\d{3,4})$/.exec(env.text(name) ?? '1920x1200') ?? [];
  const screen = { width: Number(width), height: Number(height) };
  const isScreen = screen.width >= 640 && screen.width <= 3840 && screen.height >= 480 && screen.height <= 2160;
  if (!isScreen) env.reject(name, 'must be a size from 640x480 to 3840x2160, such as 1920x1200');
  return screen;
};

/** The smallest values are those with which a terminal just starts. */
const readLimits = (env: EnvReader): WineSettings['limits'] => ({
  memoryBytes: env.integer('BERTH_AGENT_TERMINAL_MEMORY_MB', { fallback: 1024, min: 128, max: 65_536 }) * MEBIBYTE,
  processes: env.integer('BERTH_AGENT_TERMINAL_PROCESSES', { fallback: 256, min: 32, max: 32_768 }),
  cpuPercent: env.integer('BERTH_AGENT_TERMINAL_CPU_PERCENT', { fallback: 100, min: 5, max: 100_000 }),
  diskBytes: env.integer('BERTH_AGENT_TERMINAL_DISK_MB', { fallback: 8192, min: 64, max: 1_048_576 }) * MEBIBYTE,
  diskEntries: env.integer('BERTH_AGENT_TERMINAL_FILES', { fallback: 200_000, min: 1_000, max: 100_000_000 }),
});

/** Collects mistakes in the reader. @param defaults what depends on where the program lies */
export const readWineSettings = (env: EnvReader, defaults: { windowsDist: string }): WineSettings => ({
  isolation: env.choice('BERTH_AGENT_ISOLATION', ['full', 'none'], 'full'),
  limits: readLimits(env),
  users: readUsers(env),
  privateNetworks: readPrivateNetworks(env),
  hostPorts: readHostPorts(env),
  screen: readScreen(env),
  hasGlx: env.choice('BERTH_AGENT_GLX', ['on', 'off'], 'off') === 'on',
  wineFolder: env.text('BERTH_AGENT_WINE'),
  wineDebug: env.text('BERTH_AGENT_WINEDEBUG'),
  programFolder: env.text('BERTH_WINDOWS_DIST') ?? defaults.windowsDist,
});
