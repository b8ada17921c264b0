/** Reads the programs' environment, for the tests that compare it with the configuration page. */
export { readConfig as readAgentConfig } from '../../apps/agent/src/config.ts';
export { readConfig as readServerConfig } from '../../apps/server/src/config.ts';
