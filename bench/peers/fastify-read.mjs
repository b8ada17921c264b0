/** The limit of an authenticated read: bare Fastify, a response schema, one pipelined prepared query by primary key. */
import Fastify from 'fastify';
import pg from 'pg';

const [connectionString, userId] = process.argv.slice(2);
const client = new pg.Client({ connectionString, pipeline: true });
await client.connect();
const text = 'select id, name, email, plan, status, balance, created_at, updated_at from users where id = $1';
const string = { type: 'string' };
const properties = { id: string, name: string, email: string, plan: { type: 'integer' }, status: { type: 'integer' } };
const times = { balance: string, created_at: string, updated_at: string };
const data = { type: 'object', properties: { ...properties, ...times } };
const response = { 200: { type: 'object', properties: { ok: { type: 'boolean' }, msg: string, data } } };
const app = Fastify();
app.get('/profile', { schema: { response } }, async () => {
  const { rows } = await client.query({ name: 'profile', text, values: [userId] });
  return { ok: true, msg: 'Profile retrieved successfully.', data: rows[0] };
});
console.log(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
