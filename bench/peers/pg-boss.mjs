/** pg-boss, tuned: batches, and its shortest polling interval. */
import { PgBoss } from 'pg-boss';
import { measure, options } from './engine.mjs';

const boss = new PgBoss({ connectionString: options.connection, max: 20, supervise: false, schedule: false });
boss.on('error', () => undefined);
await boss.start();
await boss.createQueue('job');

await measure({
  add: (payload) => boss.send('job', payload),
  addBulk: (payloads) =>
    boss.insert(
      'job',
      payloads.map((data) => ({ data })),
    ),
  work: (handle) =>
    boss.work('job', { batchSize: 256, pollingIntervalSeconds: 0.5 }, async (jobs) => {
      for (const { data } of jobs) handle(data);
    }),
});
