/**
 * The network of a box: a separate one, connected to the internet by pasta, which forwards connections as the box's
 * user and needs no privileges. Nothing of the host's loopback is reachable in it except the ports that the operator
 * allows. Private addresses (the host's network, cloud metadata) are blocked by the box's own routing rules, which take
 * precedence over all routes and which nothing in the box can change.
 */
import { networkInterfaces } from 'node:os';
import { isIP } from 'node:net';

/** The box's resolvers; pasta forwards queries to the host's own resolver, wherever it listens. */
const RESOLVERS = { 4: '169.254.1.53', 6: 'fd53:53::53' } as const;

/** A terminal has no business there. RFC 6890 and its successors; 169.254.169.254 is the metadata service of clouds. */
export const closedNetworks: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Addresses that embed an IPv4 address would bypass the list above.
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2002::/16',
  '2001::/32',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

const toFamily = (network: string): 4 | 6 => (network.includes(':') ? 6 : 4);

/** Whether the text is a network such as `10.0.0.0/8`, or one address. */
export const isNetwork = (text: string): boolean => {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
};

/**
 * The addresses of this machine. Its public ones, too, lead to services that listen on it, and so do additional ones
 * that an operator assigned to `lo`.
 */
export const listHostAddresses = (interfaces = networkInterfaces()): string[] =>
  Object.values(interfaces)
    .flatMap((entries) => entries ?? [])
    .map(({ address }) => address)
    .filter((address) => address !== '::1' && !address.startsWith('127.'));

export interface RoutingOptions {
  /** Exceptions from what is blocked. */
  privateNetworks: readonly string[];
  hostAddresses: readonly string[];
}

/**
 * Input for `ip -4 -batch` and `ip -6 -batch`. Rules are evaluated in the order of their priorities, and before the
 * routes: a private network stays blocked even if the machine itself is in it.
 */
export const toRoutingRules = ({ privateNetworks, hostAddresses }: RoutingOptions): { 4: string; 6: string } => {
  // An exception for a network does not open the host in it; only its exact address does.
  const named = new Set(privateNetworks.map((network) => network.replace(/\/(32|128)$/, '')));
  const closedAddresses = hostAddresses.filter((address) => !named.has(address));
  const rules = [
    ...([4, 6] as const).map(
      (family) => `rule add priority 10 to ${RESOLVERS[family]} ipproto udp dport 53 lookup main`,
    ),
    ...closedAddresses.map((address) => `rule add priority 20 to ${address} unreachable`),
    ...privateNetworks.map((network) => `rule add priority 30 to ${network} lookup main`),
    ...closedNetworks.map((network) => `rule add priority 40 to ${network} unreachable`),
  ];
  const toText = (family: 4 | 6): string =>
    rules
      .filter((rule) => toFamily(rule) === family)
      .map((rule) => `${rule}\n`)
      .join('');
  return { 4: toText(4), 6: toText(6) };
};

/** The box's `/etc/resolv.conf`. @param hostText the host's */
export const toResolverFile = (hostText: string): string => {
  const servers = [...hostText.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address);
  const families = ([4, 6] as const).filter((family) => servers.some((address) => toFamily(address) === family));
  const lines = (families.length > 0 ? families : [4 as const]).map((family) => `nameserver ${RESOLVERS[family]}`);
  return `${lines.join('\n')}\noptions edns0 timeout:3\n`;
};

/** Runs a command in a network of its own. @param hostPorts ports of the host's loopback that can be reached in it */
export const toNetworkCommand = (hostPorts: readonly number[], command: readonly string[]): string[] => [
  ...['/usr/bin/pasta', '--foreground', '--quiet', '--config-net'],
  // Without this, the gateway's address is the host's loopback.
  '--no-map-gw',
  ...['--dns-forward', RESOLVERS[4], '--dns-forward', RESOLVERS[6]],
  // No port of the box is exposed on the host; of the host's ports, only these are reachable in the box.
  ...['-t', 'none', '-u', 'none', '-U', 'none', '-T', hostPorts.length > 0 ? hostPorts.join(',') : 'none'],
  '--',
  ...command,
];
