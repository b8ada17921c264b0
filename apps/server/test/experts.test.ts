/** Where experts run, by what hosts see on charts, and which files they are. */
import { createHash } from 'node:crypto';
import type { LibraryExpert } from '@berth/contract';
import { TestHost, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });

const toSha = (content: string): string => createHash('sha256').update(content).digest('hex');

it('experts are listed by their program with their terminals and files, those of others and of former hosts never', async () => {
  await TestHost.enrol(server, { name: 'host', capacity: 100 });
  const owner = await server.register('Owner');
  const stranger = await server.register('Stranger');
  const send = async (token: string, method: string, path: string, body?: unknown) =>
    (await server.request(method, path, { token, body })).body;
  const create = async (token: string, login: string): Promise<string> => {
    const body = { server_name: 'Demo', login, password: 'secret' };
    return ((await send(token, 'POST', '/v1/my/trading/terminals', body)).data as { id: string }).id;
  };
  const upload = async (token: string, name: string, content: string) => {
    const options = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: content };
    const answer = await fetch(`${server.url}/v1/my/files?name=${name}`, options);
    return ((await answer.json()) as { data: { id: string } }).data.id;
  };
  const list = async (token: string, query = '') =>
    (await send(token, 'GET', `/v1/my/experts${query}`)).data as LibraryExpert[];
  const see = (terminalId: string, names: (string | null)[], sha256: string | null) => {
    const charts = names.map((name, index) => ({
      chart_id: String(index),
      symbol: 'EURUSD',
      period: 'H1',
      expert:
        name === null ? null : { name, sha256, inputs: {}, allow_algo_trading: 1, allow_dll: 0, state: 'running' },
    }));
    return server.query(
      `insert into terminal_charts (terminal_id, host_id, charts, truncated)
       select id, host_id, $2::json, false from terminals where id = $1`,
      [terminalId, JSON.stringify(charts)],
    );
  };
  const [old, next] = [toSha('old'), toSha('next')];
  const ids = [await create(owner.token, '1'), await create(owner.token, '2'), await create(owner.token, '3')];
  const foreign = await create(stranger.token, '4');
  await see(ids[0]!, ['Trend', 'Trend', null], old);
  await see(ids[1]!, ['Trend'], old);
  await see(ids[2]!, ['Other'], null);
  await see(foreign, ['Trend'], old);
  await upload(owner.token, 'Trend.ex5', 'old');
  const newestOld = await upload(owner.token, 'Trend%20again.ex5', 'old');
  const nextId = await upload(owner.token, 'Trend.EX5', 'next');
  await upload(owner.token, 'notes.txt', 'notes');
  await upload(stranger.token, 'Secret.ex5', 'secret');

  expect(await list(owner.token)).toEqual([
    { name: 'Trend', sha256: old, terminals: 2, file: expect.objectContaining({ id: newestOld, size: 3 }) },
    { name: 'Other', sha256: null, terminals: 1, file: null },
    { name: 'Trend', sha256: next, terminals: 0, file: expect.objectContaining({ id: nextId, name: 'Trend.EX5' }) },
  ]);
  const [one, ...others] = await list(owner.token, `?sha256=${old}`);
  expect([one, others]).toMatchObject([{ name: 'Trend', terminals: 2, terminal_ids: ids.slice(0, 2).sort() }, []]);
  expect(await list(stranger.token)).toMatchObject([
    { sha256: old, terminals: 1, file: null },
    { name: 'Secret', terminals: 0 },
  ]);
  // What another host saw of it before counts no more.
  await server.query('update terminal_charts set host_id = gen_random_uuid() where terminal_id = $1', [ids[0]]);
  expect(await list(owner.token, `?sha256=${old}`)).toMatchObject([{ terminals: 1, terminal_ids: [ids[1]] }]);
  expect((await send(owner.token, 'GET', '/v1/my/experts?sha256=x')).errors).toHaveProperty('sha256');
});
