/** An agent process for tests: the real hosts over terminals whose program is `sleep`. */
import { createLogger, systemTiming } from '@berth/kit';
import { startHostGroup } from '../../src/host/host-group.ts';
import { ServerTransport } from '../../src/server/server-transport.ts';
import { SleepTerminals } from './sleep-terminals.ts';

const { TEST_SERVER_URL: serverUrl = '', TEST_DIRECTORY: directory = '', TEST_JOIN_TOKEN: joinToken } = process.env;

const group = startHostGroup({
  names: ['test'],
  directory,
  transport: new ServerTransport({ serverUrl, version: 'test' }),
  createRegistry: (folder) => new SleepTerminals(folder),
  findJoinToken: async () => joinToken,
  slots: 8,
  heartbeatMs: 200,
  sampleMs: 100,
  chartMs: 50,
  accountMs: 50,
  version: 'test',
  timing: systemTiming,
  log: createLogger({ name: 'agent' }),
});
process.on('SIGTERM', () => group.stop('detach'));
process.exit((await group.done) ? 0 : 1);
