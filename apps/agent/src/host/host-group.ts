/** The hosts that one process runs. They share nothing: one that ends by a fatal answer leaves the others running. */
import { join } from 'node:path';
import type { Logger } from '@berth/kit';
import type { PlatformRegistry } from '../platforms/driver.ts';
import { startHostAgent, type HostAgent, type HostOptions, type StopMode } from './agent.ts';

export interface HostGroupOptions extends Omit<
  HostOptions,
  'name' | 'folder' | 'registry' | 'findJoinToken' | 'hosts' | 'log'
> {
  names: readonly string[];
  /** Holds one folder for each host. */
  directory: string;
  createRegistry: (terminalFolder: string, log: Logger) => PlatformRegistry;
  findJoinToken: (hostName: string) => Promise<string | undefined>;
  log: Logger;
}

export interface HostGroup {
  /** Settles when every host has ended. @returns whether each ended on request */
  readonly done: Promise<boolean>;
  stop(mode: StopMode): void;
}

export const startHostGroup = ({
  names,
  directory,
  createRegistry,
  findJoinToken,
  ...shared
}: HostGroupOptions): HostGroup => {
  const agents: HostAgent[] = [];
  const ends = names.map(async (name) => {
    const log = shared.log.child({ host: name });
    const folder = join(directory, name);
    try {
      const registry = createRegistry(join(folder, 'terminals'), log);
      const agent = startHostAgent({
        ...shared,
        hosts: names.length,
        name,
        folder,
        registry,
        log,
        findJoinToken: () => findJoinToken(name),
      });
      agents.push(agent);
      await agent.done;
      log.info('the host has ended');
      return true;
    } catch (error) {
      log.fatal({ err: error }, (error as Error).message);
      return false;
    }
  });
  return {
    done: Promise.all(ends).then((results) => results.every(Boolean)),
    stop: (mode) => agents.forEach((agent) => agent.stop(mode)),
  };
};
