/** BullMQ on a Redis that syncs its log to disk at every write, so that it promises what PostgreSQL promises. */
import { Queue, Worker } from 'bullmq';
import { measure, options } from './engine.mjs';

const connection = { path: options.connection, maxRetriesPerRequest: null };
const queue = new Queue('job', { connection, defaultJobOptions: { removeOnComplete: true } });
await queue.obliterate({ force: true });

await measure({
  add: (payload) => queue.add('job', payload),
  addBulk: (payloads) => queue.addBulk(payloads.map((data) => ({ name: 'job', data }))),
  work: async (handle) => {
    const worker = new Worker('job', async ({ data }) => handle(data), { connection, concurrency: 256 });
    worker.on('error', () => undefined);
    await worker.waitUntilReady();
  },
});
