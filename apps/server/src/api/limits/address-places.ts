/**
 * How many connections one address may have, so that none takes them all. A trusted proxy connects for all its clients
 * and is not counted; a network of many hosts behind one address fits (an agent keeps about three).
 */
import type { Server } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import { toAddressKey } from './address-key.ts';

const toFamily = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** @param networks addresses or networks, `10.0.0.0/8` */
const toList = (networks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = toFamily(address);
    list.addSubnet(address, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family);
  }
  return list;
};

export interface AddressLimits {
  places: number;
  trustedProxies: readonly string[];
}

/** Immediately closes connections beyond the limit of their address. */
export const limitAddresses = (server: Server, { places, trustedProxies }: AddressLimits): void => {
  const trusted = toList(trustedProxies);
  const counts = new Map<string, number>();
  const keys = new Map<Socket, string>();
  /** One function for all connections: tens of thousands of them are open at once. */
  const onClose = function (this: Socket): void {
    const key = keys.get(this)!;
    keys.delete(this);
    const left = counts.get(key)! - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  };
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // Already closed.
    if (remoteAddress === undefined) return;
    // An IPv4-mapped address is matched against IPv4 networks.
    if (trusted.check(remoteAddress, toFamily(remoteAddress))) return;
    const key = toAddressKey(remoteAddress);
    const count = (counts.get(key) ?? 0) + 1;
    if (count > places) return void socket.destroy();
    counts.set(key, count);
    keys.set(socket, key);
    // eslint-disable-next-line berth/no-bare-close -- its close is still to come: it was accepted this moment
    socket.on('close', onClose);
  });
};
