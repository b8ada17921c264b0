import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The first 64 bits: the smallest network that is assigned, whose owner may use any address in it. */
const OWNER_GROUPS = 4;

/** Identifies a client in limits by address: the IPv4 address, or the network of the IPv6 address. */
export const toAddressKey = (ip: string): string => {
  // The common case; also what is not an address at all (empty, as for a Unix socket), which is used as it is.
  if (isIPv4(ip) || !ipaddr.IPv6.isValid(ip)) return ip;
  // An IPv4-mapped address, as a socket that listens on IPv6 shows it.
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const groups = address.parts.slice(0, OWNER_GROUPS).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
};
