/** Looking names up, at a DNS server of the test's own. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLookup } from '../src/outbound/resolve.ts';
import { closeAfterEach, closeLater, createOutbound, until } from './support/peers.ts';

closeAfterEach();

/** Records by name and type; a code of DNS instead of them; undefined = no answer. */
type Zone = (name: string, type: 'A' | 'AAAA') => Buffer[] | number | undefined;

const NOT_FOUND = 3;
const REFUSED = 5;

const startDns = async (zone: Zone) => {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, { address, port }) => {
    const labels: string[] = [];
    let at = 12;
    for (; question[at]! > 0; at += question[at]! + 1)
      labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!));
    const type = question.readUInt16BE(at + 1) === 1 ? 'A' : 'AAAA';
    asked.push(`${labels.join('.')} ${type}`);
    const found = zone(labels.join('.'), type);
    if (found === undefined) return;
    const records = typeof found === 'number' ? [] : found;
    const head = Buffer.alloc(12);
    question.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | (typeof found === 'number' ? found : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    const answers = records.map((data) => {
      const record = Buffer.from([0xc0, 12, 0, type === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length]);
      return Buffer.concat([record, data]);
    });
    socket.send(Buffer.concat([head, question.subarray(12, at + 5), ...answers]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closeLater(async () => void socket.close());
  return { servers: [`127.0.0.1:${socket.address().port}`], asked };
};

const never = new AbortController().signal;
const IPV4 = Buffer.from([93, 184, 215, 14]);
const LOOPBACK_IPV6 = Buffer.from([...Array.from({ length: 15 }, () => 0), 1]);

test('all addresses of both families are found, so that each of them is checked', async () => {
  const { servers, asked } = await startDns((_name, type) => (type === 'A' ? [IPV4] : [LOOPBACK_IPV6]));
  const lookup = createLookup({ servers, hostsFile: '/nowhere' });
  expect(await lookup('hooks.example.com', never)).toEqual(['93.184.215.14', '::1']);
  expect(asked.sort()).toEqual(['hooks.example.com A', 'hooks.example.com AAAA']);
  const outbound = createOutbound({ allow: [], lookup });
  expect(await outbound.check('https://hooks.example.com')).toMatchObject({ reason: 'forbidden_address' });
});

test('one family is enough, whatever the server says of the other', async () => {
  for (const other of [[], NOT_FOUND, REFUSED]) {
    const { servers } = await startDns((_name, type) => (type === 'A' ? [IPV4] : other));
    expect(await createLookup({ servers, hostsFile: '/nowhere' })('a.example', never)).toEqual(['93.184.215.14']);
  }
});

test('a name that is not there is told from servers that do not say', async () => {
  const check = async (answer: Buffer[] | number) => {
    const { servers } = await startDns(() => answer);
    const outbound = createOutbound({ lookup: createLookup({ servers, hostsFile: '/nowhere' }) });
    return (await outbound.check('https://a.example'))?.message;
  };
  expect(await check(NOT_FOUND)).toBe('The name a.example was not found.');
  expect(await check([])).toBe('The name a.example was not found.');
  expect(await check(REFUSED)).toBe('The name a.example could not be looked up. Try again later.');
});

test('a name of this machine alone is asked of nobody', async () => {
  const { servers, asked } = await startDns(() => [IPV4]);
  const outbound = createOutbound({ allow: [], lookup: createLookup({ servers, hostsFile: '/nowhere' }) });
  for (const name of ['localhost', 'a.localhost'])
    expect(await outbound.check(`https://${name}`)).toMatchObject({ reason: 'forbidden_address' });
  expect(asked).toEqual([]);
});

test('a server that never answers is no longer asked when the call is over', async () => {
  const { servers, asked } = await startDns(() => undefined);
  const abort = new AbortController();
  const looking = createLookup({ servers, hostsFile: '/nowhere' })('a.example', abort.signal);
  await Promise.all([
    expect(looking).rejects.toMatchObject({ code: 'ECANCELLED' }),
    until(() => asked.length === 2).then(() => abort.abort()),
  ]);
});

test('an account that asks for names without an answer holds up no other one', async () => {
  const under = { way: 0, most: 0 };
  const lookup = async (name: string, signal: AbortSignal): Promise<string[]> => {
    if (name === 'b.example') return ['93.184.215.14'];
    under.way += 1;
    under.most = Math.max(under.most, under.way);
    await once(signal, 'abort');
    under.way -= 1;
    return [];
  };
  const outbound = createOutbound({ lookup, timeoutMs: 2_000 });
  const asked = Array.from({ length: 200 }, () =>
    outbound.check('https://a.example', 'hostile').catch(() => 'refused'),
  );
  expect(await outbound.check('https://b.example', 'other')).toBeUndefined();
  expect((await Promise.all(asked)).filter((answer) => answer === 'refused').length).toBeGreaterThan(100);
  expect(under.most).toBeLessThan(10);
});

test('what stands in the hosts file is taken from there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-hosts-'));
  closeLater(() => rm(folder, { recursive: true, force: true }));
  const hostsFile = join(folder, 'hosts');
  const text = '# ours\n192.168.7.4\tNtfy.lan ntfy # cellar\nfd00:7::4 ntfy.lan\n10.0.0.1 # ntfy.lan\nx ntfy.lan\n';
  await writeFile(hostsFile, text);
  const { servers, asked } = await startDns(() => [IPV4]);
  const lookup = createLookup({ servers, hostsFile });
  expect(await lookup('ntfy.lan', never)).toEqual(['192.168.7.4', 'fd00:7::4']);
  expect(await lookup('ntfy', never)).toEqual(['192.168.7.4']);
  expect(asked).toEqual([]);
  expect(await lookup('cellar', never)).toContain('93.184.215.14');
});
