import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The first 64 bits: the least that anybody is given, who may then use any address in it. */
const OWNER_GROUPS = 4;

/** What stands for a client in a limit by address: the IPv4 address, or the network of the IPv6 address. */
export const toAddressKey = (ip: string): string => {
  // Most of them; and what is no address at all (an empty one, that of a Unix socket) stands for itself.
  if (isIPv4(ip) || !ipaddr.IPv6.isValid(ip)) return ip;
  // An IPv4 address, as a socket that listens on IPv6 shows it, is one.
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const groups = address.parts.slice(0, OWNER_GROUPS).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
};
