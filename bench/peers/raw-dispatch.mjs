/** The limit of a dispatch: POST, one durable insert, NOTIFY after its commit, push over an open response. No checks at all. */
import Fastify from 'fastify';
import pg from 'pg';

const [connectionString] = process.argv.slice(2);
const [writer, ear] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
await Promise.all([writer.connect(), ear.connect()]);
await writer.query(
  'create table if not exists raw_tasks (id bigint generated always as identity primary key, body jsonb)',
);
await ear.query('listen raw_tasks');
const agents = new Set();
ear.on('notification', ({ payload }) => agents.forEach((agent) => agent.write(`${payload}\n`)));
const app = Fastify();
app.get('/agent', (_request, reply) => {
  reply.hijack();
  reply.raw.writeHead(200);
  reply.raw.write('\n');
  agents.add(reply.raw);
});
app.post('/tasks', async ({ body }) => {
  const values = [JSON.stringify(body)];
  const { rows } = await writer.query({
    name: 'insert',
    text: 'insert into raw_tasks (body) values ($1) returning id',
    values,
  });
  void writer.query({ name: 'notify', text: "select pg_notify('raw_tasks', $1)", values: [String(rows[0].id)] });
  return { id: rows[0].id };
});
console.log(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
