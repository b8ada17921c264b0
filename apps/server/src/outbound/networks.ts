/**
 * Which addresses may be called for users. An address is called when it is public for certain, not when it is on no list:
 * what the Internet does not route, or what carries another address inside, is refused.
 */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/**
 * All of IPv6 that is given to anybody. NAT64, `::127.0.0.1`, local and multicast addresses are outside. Of what is inside,
 * the library knows 6to4, Teredo and the documentation as special.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public by its number, but every machine in Azure reaches its own platform there, credentials included. */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * Reads an address as programs write it.
 * @returns undefined for anything else, such as `127.1`, `0177.0.0.1` or `fe80::1%eth0`
 */
const parse = (text: string): Address | undefined => {
  const family = text.includes('%') ? 0 : isIP(text);
  if (family === 0) return undefined;
  // The library takes `::8.8.8.8` for `::ffff:8.8.8.8`. In a URL no dots are left.
  return ipaddr.parse(family === 6 ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text);
};

const isMapped = (address: Address): address is ipaddr.IPv6 =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();

/** As `parse`; an IPv4 address inside of an IPv6 one (`::ffff:10.0.0.1`) is taken out. */
const toAddress = (text: string): Address | undefined => {
  const address = parse(text);
  return address && isMapped(address) ? address.toIPv4Address() : address;
};

const MAPPED_BITS = 96;

/**
 * @param text an address or a network, `10.0.0.7` or `fd00::/8`
 * @throws TypeError
 */
const toNetwork = (text: string): Network => {
  const [start = '', prefix] = text.split('/');
  const address = parse(start);
  const allBits = address?.kind() === 'ipv4' ? 32 : 128;
  const bits = prefix === undefined ? allBits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Infinity;
  if (!address || bits > allBits) throw new TypeError(`not a network: ${text}`);
  return isMapped(address) && bits >= MAPPED_BITS ? [address.toIPv4Address(), bits - MAPPED_BITS] : [address, bits];
};

const isIn = (address: Address, [start, bits]: Network): boolean =>
  address.kind() === start.kind() && address.match(start, bits);

const isPublic = (address: Address): boolean => {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== AZURE_PLATFORM;
  return address.match(globalUnicast);
};

/** Addresses of this machine. What listens on a public one may be shut to the outside, and open to the machine itself. */
export const listOwnAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));

export interface NetworkRules {
  /** Addresses or networks that may be called although they are not public. */
  allow: readonly string[];
  /** Asked at each use, because machines get and lose addresses. */
  listOwn: () => readonly string[];
}

export class NetworkGuard {
  readonly #allowed: readonly Network[];
  readonly #listOwn: () => readonly string[];

  /** @throws TypeError for what is no network */
  constructor({ allow, listOwn }: NetworkRules) {
    this.#allowed = allow.map(toNetwork);
    this.#listOwn = listOwn;
  }

  /**
   * Looks at all addresses of a name. One that is forbidden forbids them all: a name that leads inside, too, is no mistake
   * that should be helped along.
   * @returns the very addresses to connect to, IPv4 first; undefined = forbidden
   */
  admit(texts: readonly string[]): string[] | undefined {
    const addresses = texts.map(toAddress);
    const own = new Set(this.#listOwn().map((text) => toAddress(text)?.toString()));
    const admitted = addresses.filter((address): address is Address => {
      if (!address) return false;
      if (this.#allowed.some((network) => isIn(address, network))) return true;
      return isPublic(address) && !own.has(address.toString());
    });
    if (admitted.length < texts.length || texts.length === 0) return undefined;
    const first = admitted.filter((address) => address.kind() === 'ipv4');
    return [...first, ...admitted.filter((address) => address.kind() === 'ipv6')].map(String);
  }
}
