/** The commands that make a machine a host. The token is in the environment: everybody on a machine can read arguments. */
import type { JoinToken } from '@berth/client';

export type Platform = 'mt5:wine' | 'mt4:wine' | 'sandbox';

export interface Joining extends Pick<JoinToken, 'join_token'> {
  /** Where the host reaches the server, without a slash at the end. */
  address: string;
  platform: Platform;
  /** Where the server keeps its data, the address of its simulated broker among them. */
  dataDirectory: string;
  /** Of the script that the server has for new hosts. */
  installerSha256: string | null;
}

const toShellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * The installer, fetched into a folder that nobody else can write, and run if it is the very one that this server has. It
 * is in parentheses, so that the shell stays where it was.
 */
const toInstallation = ({ join_token: token, address, platform, installerSha256 }: Joining): string => {
  const steps = [
    'cd "$(mktemp -d)"',
    `curl -fsSO ${toShellWord(`${address}/install/host.sh`)}`,
    `echo '${installerSha256}  host.sh' | sha256sum -c`,
    `BERTH_JOIN_TOKEN=${toShellWord(token)} sh host.sh --server ${toShellWord(address)} --platforms ${platform}`,
  ];
  return `(${steps.join(' && ')})`;
};

/** In a copy of the repository, whose sandbox the host then runs. */
const toStart = ({ join_token: token, address, platform, dataDirectory }: Joining): string =>
  [
    `BERTH_SERVER_URL=${toShellWord(address)}`,
    `BERTH_JOIN_TOKEN=${toShellWord(token)}`,
    platform === 'sandbox'
      ? `BERTH_SANDBOX_NETWORK=${toShellWord(`${dataDirectory}/sandbox/network`)}`
      : `BERTH_AGENT_PLATFORMS=${platform}`,
    'script/agent',
  ].join(' \\\n  ');

/** Whether a host gets the agent from the server; without a built installer there it needs a copy of the repository. */
export const isInstalled = ({ platform, installerSha256 }: Pick<Joining, 'platform' | 'installerSha256'>): boolean =>
  platform !== 'sandbox' && installerSha256 !== null;

export const toCommand = (joining: Joining): string =>
  isInstalled(joining) ? toInstallation(joining) : toStart(joining);

/** Whether an address leads nowhere but to the machine itself. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(127(\.\d+){3}|localhost|.*\.localhost|\[::1\])$/.test(hostname);
