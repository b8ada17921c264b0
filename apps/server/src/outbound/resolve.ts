/**
 * From a name to its addresses.
 *
 * Not by `dns.lookup`: that waits in one of the four threads which Node.js also needs for files and for passwords, cannot
 * be called off, and takes as long as the servers of a hostile name like. Four such names would stop all of that. The
 * resolver (c-ares) has sockets of its own, time limits, and ends when it is told to. It asks the servers of
 * `/etc/resolv.conf`, which is read anew each time.
 *
 * What it leaves out of what the system would do: `/etc/hosts`, which is read here, because operators name machines of
 * their own in it; search domains, so a name has to be complete; and other sources, such as mDNS.
 */
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { OutboundError } from './errors.ts';

/**
 * Finds all addresses of a name.
 * @throws an error whose `code` is ENOTFOUND or ENODATA where there is none
 */
export type Lookup = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

const HOSTS_FILE = '/etc/hosts';
/** Of a first question to a server; c-ares doubles it for the second one. */
const QUESTION_MS = 2_000;
const TRIES = 2;
/** By their standard these names never leave the machine, whatever DNS says of them. */
const loopback = ['127.0.0.1', '::1'];

/** @param text a hosts file: `192.168.7.4 ntfy.lan ntfy # in the cellar` */
const findInHosts = (text: string, name: string): string[] =>
  text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return isIP(address) > 0 && names.some((other) => other.replace(/\.$/, '') === name) ? [address] : [];
  });

const isNotFound = (error: unknown): boolean =>
  ['ENOTFOUND', 'ENODATA'].includes((error as { code?: string } | undefined)?.code ?? '');

export interface LookupSources {
  /** `192.0.2.53:5353`; without them, those of the system. */
  servers?: readonly string[];
  hostsFile?: string;
}

/** Where one family has addresses and the other one failed, the former are enough: no others will be connected to. */
const askServers = async (resolver: Resolver, name: string): Promise<string[]> => {
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (found.length > 0) return found;
  const errors = results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
  throw errors.find((error) => !isNotFound(error)) ?? errors[0];
};

/** @param sources other than those of the system, for tests */
export const createLookup =
  ({ servers, hostsFile = HOSTS_FILE }: LookupSources = {}): Lookup =>
  async (name, signal) => {
    const written = findInHosts(await readFile(hostsFile, 'utf8').catch(() => ''), name);
    if (written.length > 0) return written;
    signal.throwIfAborted();
    const resolver = new Resolver({ timeout: QUESTION_MS, tries: TRIES });
    if (servers) resolver.setServers(servers);
    const stop = (): void => resolver.cancel();
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await askServers(resolver, name);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };

/**
 * All addresses of a name; those of an address are itself.
 * @throws OutboundError unresolvable
 */
export const resolveName = async (lookup: Lookup, name: string, signal: AbortSignal): Promise<readonly string[]> => {
  if (isIP(name) > 0) return [name];
  if (name === 'localhost' || name.endsWith('.localhost')) return loopback;
  try {
    const addresses = await lookup(name, signal);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    if (isNotFound(error)) throw new OutboundError('unresolvable', `The name ${name} was not found.`, error);
    throw new OutboundError('unresolvable', `The name ${name} could not be looked up. Try again later.`, error);
  }
  throw new OutboundError('unresolvable', `The name ${name} was not found.`);
};
