/** An agent of its own for tests, as `script/agent` starts it, and the trading server that its sandbox terminals need. */
import { fileURLToPath } from 'node:url';
import { spawnProcess, type SpawnedProcess } from './processes.ts';

const toProgram = (path: string): string => fileURLToPath(new URL(`../../apps/${path}`, import.meta.url));

export interface TestAgentOptions {
  serverUrl: string;
  /** The agent's folder: credential, journal, terminals. */
  directory: string;
  /** The file in which the trading server states its address. */
  networkFile: string;
  /** Needed at the first start only. */
  joinToken?: string;
  /** Further environment, such as `NODE_OPTIONS`. */
  environment?: Record<string, string>;
}

const start = (program: string, environment: Record<string, string>): SpawnedProcess => {
  const { PATH = '', TMPDIR } = process.env;
  const env = { PATH, ...(TMPDIR === undefined ? {} : { TMPDIR }), BERTH_LOG_LEVEL: 'warn', ...environment };
  return spawnProcess(process.execPath, [toProgram(program)], { env });
};

/** Starts an agent with one host, named `host`; it comes up in its own time. Its terminals outlive it. */
export const startTestAgent = ({
  serverUrl,
  directory,
  networkFile,
  joinToken,
  environment = {},
}: TestAgentOptions): SpawnedProcess =>
  start('agent/dist/main.js', {
    BERTH_SERVER_URL: serverUrl,
    BERTH_AGENT_DIR: directory,
    BERTH_SANDBOX_NETWORK: networkFile,
    ...(joinToken === undefined ? {} : { BERTH_JOIN_TOKEN: joinToken }),
    ...environment,
  });

/** Starts a trading server that belongs to no Berth server. */
export const startTestTradingServer = (dataFolder: string, networkFile: string): SpawnedProcess =>
  start('sandbox/dist/trading-server-main.js', {
    BERTH_SANDBOX_DATA: dataFolder,
    BERTH_SANDBOX_NETWORK: networkFile,
  });
