/** What the programs read from the environment, for the tests that compare it with the page of configuration. */
export { readConfig as readAgentConfig } from '../../../apps/agent/src/config.ts';
export { readConfig as readServerConfig } from '../../../apps/server/src/config.ts';
