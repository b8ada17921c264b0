import { isIPv6 } from 'node:net';

/** An IPv4 address as a socket that listens on IPv6 shows it. */
const MAPPED = /^::ffff:(?=\d+\.)/i;
const GROUPS = 8;
/** The first 64 bits: the least that anybody is given, who may then use any address in it. */
const OWNER_GROUPS = 4;

/** What stands for a client in a limit by address: the IPv4 address, or the network of the IPv6 address. */
export const toAddressKey = (ip: string): string => {
  const address = ip.replace(MAPPED, '');
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const toGroups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [toGroups(head), toGroups(tail ?? '')];
  const gap = Array<string>(Math.max(0, GROUPS - first.length - last.length)).fill('0');
  return `${[...first, ...gap, ...last].slice(0, OWNER_GROUPS).join(':')}::/64`;
};
