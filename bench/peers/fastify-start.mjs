/** The limit of a start: PostgreSQL spawned on a cluster that exists, one connection, bare Fastify. */
import { spawn } from 'node:child_process';
import Fastify from 'fastify';
import pg from 'pg';

const { postgres, args, uid, gid, socketDir } = JSON.parse(process.argv[2]);
const child = spawn(postgres, args, { stdio: 'ignore', ...(uid === undefined ? {} : { uid, gid }) });
process.once('SIGTERM', () => child.kill('SIGINT'));
child.once('exit', () => process.exit(0));
const connect = async () => {
  for (;;) {
    const client = new pg.Client({ host: socketDir, user: 'berth', database: 'postgres' });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
};
const client = await connect();
const app = Fastify();
app.get('/readyz', async () => (await client.query('select 1 as ok')).rows[0]);
console.log(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
