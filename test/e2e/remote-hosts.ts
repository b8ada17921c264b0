/** A server without hosts of its own, a trading server, and agents that a test starts. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Berth } from '@berth/client';
import {
  endProcesses,
  logInOperator,
  startTestAgent,
  startTestTradingServer,
  useTestStack,
  type SpawnedProcess,
} from '@berth/testing';
import { afterAll, beforeAll } from 'vitest';

const TIMEOUT_MS = 300_000;

/** A machine in a region of its own. */
export interface RemoteHost {
  region: number;
  name: string;
  /** The agent's folder. */
  directory: string;
  start: (joinToken?: string) => SpawnedProcess;
  /** As an operator does after adding a host in the dashboard. */
  join: (capacity: number) => Promise<SpawnedProcess>;
}

/** @param shared environment of the server and of the agents */
export const useRemoteHosts = (shared: Record<string, string> = {}) => {
  const stack = useTestStack({ hasLocalHosts: false, environment: { BERTH_DEFAULT_PLATFORM: 'sandbox', ...shared } });
  const operator = {} as { berth: Berth; token: string };
  beforeAll(async () => {
    const broker = join(stack.dataDir, 'broker');
    mkdirSync(broker);
    startTestTradingServer(broker, join(broker, 'network'));
    Object.assign(operator, await logInOperator(stack));
  }, TIMEOUT_MS);
  afterAll(async () => {
    await endProcesses();
    await stack.killTerminals();
  }, TIMEOUT_MS);

  const createHost = async (name: string, regionName = name): Promise<RemoteHost> => {
    const { regions, joinTokens } = operator.berth.operator;
    const { id: region } = await regions.create({ name: regionName, flag: 'de' });
    const directory = join(stack.dataDir, 'agents', name);
    const start = (joinToken?: string) =>
      startTestAgent({
        ...{ serverUrl: stack.url, directory, networkFile: join(stack.dataDir, 'broker', 'network') },
        environment: shared,
        ...(joinToken === undefined ? {} : { joinToken }),
      });
    return {
      ...{ region, name, directory, start },
      join: async (capacity) => start((await joinTokens.create({ region, name, capacity })).join_token),
    };
  };
  return { stack, createHost, operator: () => operator.berth.operator, operatorToken: () => operator.token };
};
