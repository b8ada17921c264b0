/** graphile-worker, tuned as its documentation says for throughput: a local queue, and completions in batches. */
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { measure, options } from './engine.mjs';

const { connection: connectionString } = options;
const logger = new Logger(() => () => undefined);
const utils = await makeWorkerUtils({ connectionString, logger, maxPoolSize: 20 });
await utils.migrate();

await measure({
  add: (payload) => utils.addJob('job', payload),
  addBulk: (payloads) => utils.addJobs(payloads.map((payload) => ({ identifier: 'job', payload }))),
  work: (handle) => {
    const isIdle = options.measure === 'latency';
    return run({
      preset: {
        worker: {
          connectionString,
          logger,
          concurrentJobs: isIdle ? 4 : 64,
          maxPoolSize: 20,
          pollInterval: 500,
          noHandleSignals: true,
          ...(isIdle ? {} : { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }),
        },
      },
      taskList: { job: async (payload) => handle(payload) },
    });
  },
});
