/** Which addresses of users are refused: when they are given, and when they are called. */
import { expect, test } from 'vitest';
import { Outbound } from '../src/outbound/outbound.ts';
import { closeAfterEach, createOutbound, LOOPBACK, REQUEST, startHttpPeer } from './support/peers.ts';

closeAfterEach();

const notFound = () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }));
const PUBLIC = '93.184.215.14';
const PUBLIC_IPV6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';

const ipv4 = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.254', '127.0.0.1'],
  ...['127.255.255.254', '168.63.129.16', '169.254.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.254'],
  ...['192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.0.1', '192.168.255.255', '198.18.0.1', '198.19.255.254'],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
];
const ipv6 = [
  // Unspecified, loopback, and IPv4 addresses inside: mapped, compatible, translated, NAT64, 6to4, Teredo.
  ...['::', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254'],
  ...['::127.0.0.1', '::7f00:1', '::8.8.8.8', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::127.0.0.1'],
  ...['64:ff9b::8.8.8.8', '64:ff9b:1::a00:1', '2002:7f00:1::', '2002:808:808::1', '2001::7f00:1', '2001:0:808:808::1'],
  // Benchmarks, ORCHID, documentation, private, link-local, site-local, multicast, discarded, given to nobody.
  ...['2001:2::1', '2001:10::1', '2001:20::1', '2001:1ff::1', '2001:db8::1', '3fff::1', 'fc00::1', 'fd00:ec2::254'],
  ...['fe80::1', 'febf::1', 'fec0::1', 'ff02::1', 'ff0e::1', '100::1', '5f00::1', '4000::1', 'abcd::1'],
];
/** Other ways to write 127.0.0.1, 0.0.0.0 and 169.254.169.254, and names of the machine. */
const disguises = [
  ...['2130706433', '0x7f000001', '0x7f.1', '0x7F.0x0.0x0.0x1', '017700000001', '0177.0.0.1', '0177.1', '127.1'],
  ...['127.0.1', '0', '0x0', '127.0.0.1.', '2130706433.', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376'],
  ...['１２７.0.0.1', '127。0。0。1', '①②⑦.⓪.⓪.①', '%31%32%37.0.0.1', '127%2e0%2e0%2e1'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'x.localhost', 'x.localhost.', 'ⓛocalhost', 'ｌocalhost'],
];
const hosts = [...ipv4, ...ipv6.map((address) => `[${address}]`), ...disguises];

const startWatchedPeer = async () => {
  const peer = await startHttpPeer((_request, response) => void response.end());
  return { ...peer, countConnections: () => peer.sockets.length };
};

test.each(hosts)(
  'an address that is not public for certain is refused in a URL, when it is given and when it is called: %s',
  async (host) => {
    const peer = await startWatchedPeer();
    const outbound = createOutbound({ allow: [], timeoutMs: 10_000 });
    for (const url of [`http://${host}:${peer.port}/`, `https://${host}/`, `http://${host}/`]) {
      expect(await outbound.check(url)).toEqual({
        reason: 'forbidden_address',
        message: expect.stringContaining('private or reserved network') as string,
      });
      await expect(outbound.post(url, REQUEST)).rejects.toMatchObject({ code: 'refused_address' });
    }
    expect(peer.countConnections()).toBe(0);
  },
);

const odd = ['127.1', '0177.0.0.1', '2130706433', 'fe80::1%eth0', '::1%lo', 'localhost', '', ' 127.0.0.1'];
test.each([...ipv4, ...ipv6, ...odd])(
  'an address that is not public for certain is refused behind a name, also among public ones: %s',
  async (address) => {
    const peer = await startWatchedPeer();
    for (const addresses of [[address], [PUBLIC, address], [address, PUBLIC_IPV6], [PUBLIC, PUBLIC_IPV6, address]]) {
      const outbound = createOutbound({ allow: [], lookup: async () => addresses, timeoutMs: 10_000 });
      const url = `http://hooks.example.com:${peer.port}/`;
      expect(await outbound.check(url)).toMatchObject({ reason: 'forbidden_address' });
      await expect(outbound.post(url, REQUEST)).rejects.toMatchObject({ code: 'refused_address' });
    }
    expect(peer.countConnections()).toBe(0);
  },
);

test('an address that is not public for certain is one of this machine, though it is public: a firewall does not stand between the two', async () => {
  const options = { lookup: async () => [PUBLIC], listOwn: () => [PUBLIC] };
  expect(await createOutbound({ ...options, allow: [] }).check('https://berth.example.com')).toMatchObject({
    reason: 'forbidden_address',
  });
  expect(await createOutbound({ ...options, allow: [PUBLIC] }).check('https://berth.example.com')).toBeUndefined();
});

const neighbours = [
  ...['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255'],
  ...['192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', '168.63.129.17'],
  ...['[2606:4700:4700::1111]', '[2001:200::1]', '[2003::1]', '[2a00:1450::1]', '[::ffff:1.1.1.1]'],
];
test.each(neighbours)('an address that is public may be called: %s', async (host) => {
  expect(await createOutbound({ allow: [] }).check(`https://${host}/hook`)).toBeUndefined();
});

test('an address that is public may be behind a name', async () => {
  const outbound = createOutbound({ allow: [], lookup: async () => [PUBLIC, PUBLIC_IPV6] });
  // Often enough to be compiled.
  for (let count = 0; count < 20_000; count += 1) await outbound.check('ftp://example.com/');
  expect(await outbound.check('https://bücher.example/hook?id=1#part')).toBeUndefined();
});

const cases: [string, string][] = [
  ...['', 'hook', '//example.com', 'https://', 'https://[::1', 'https://256.1.1.1/', 'https://1.2.3.4.5/'].map(
    (url): [string, string] => [url, 'not_a_url'],
  ),
  ...['https://[fe80::1%25eth0]/', 'https://[fe80::1%eth0]/', 'https://a..b/', 'https://127.0.0.1../'].map(
    (url): [string, string] => [url, 'not_a_url'],
  ),
  ...['https://exa mple.com/', 'https://example.com/a b', ' https://example.com', 'https://example.com\n'].map(
    (url): [string, string] => [url, 'not_a_url'],
  ),
  ...['https://-a.example/', 'https://a*b.example/', `https://${'a'.repeat(64)}.example/`, 'https://./'].map(
    (url): [string, string] => [url, 'not_a_url'],
  ),
  ...['ftp://example.com/', 'file:///etc/passwd', 'ws://example.com/', 'javascript:alert(1)'].map(
    (url): [string, string] => [url, 'not_http'],
  ),
  ...['https://a@example.com/', 'https://a:b@example.com/', 'https://:b@example.com/'].map((url): [string, string] => [
    url,
    'user_info',
  ]),
  ...[0, 1, 22, 25, 53, 79, 81, 442, 444, 587, 1023].map((port): [string, string] => [
    `https://example.com:${port}/`,
    'port',
  ]),
  [`https://example.com/${'a'.repeat(1_981)}`, 'too_long'],
];
test.each(cases)('what is no address of the web is refused: %j, because of %s', async (url, reason) => {
  const outbound = createOutbound({ allow: ['0.0.0.0/0', '::/0'], timeoutMs: 10_000 });
  const refusal = await outbound.check(url);
  expect(refusal).toMatchObject({ reason });
  await expect(outbound.post(url, REQUEST)).rejects.toMatchObject({
    code: 'refused_address',
    message: refusal!.message,
  });
});

test.each([80, 443, 1024, 5_432, 65_535])('port %i is none of an address of the web', async (port) => {
  const outbound = createOutbound({ lookup: async () => [PUBLIC] });
  expect(await outbound.check(`http://example.com:${port}/`)).toBeUndefined();
  expect(await outbound.check(`https://example.com/${'a'.repeat(1_980)}`)).toBeUndefined();
});

const check = (allow: readonly string[], host: string) => createOutbound({ allow }).check(`http://${host}:8080/`);
const forbidden = { reason: 'forbidden_address' };

test('what the operator allows may be called, and nothing beside it', async () => {
  expect(await check(LOOPBACK, '127.0.0.1')).toBeUndefined();
  expect(await check(LOOPBACK, '127.0.0.2')).toMatchObject(forbidden);
  expect(await check(LOOPBACK, '[::1]')).toMatchObject(forbidden);
  expect(await check(['10.1.0.0/16'], '10.1.255.255')).toBeUndefined();
  expect(await check(['10.1.0.0/16'], '10.2.0.0')).toMatchObject(forbidden);
  expect(await check(['fd00:7::/64'], '[fd00:7::1]')).toBeUndefined();
  expect(await check(['fd00:7::/64'], '[fd00:7:0:1::1]')).toMatchObject(forbidden);
});

test('what the operator allows holds for an IPv4 address in an IPv6 one, in the way that is the same address, and in no other', async () => {
  expect(await check(LOOPBACK, '[::ffff:127.0.0.1]')).toBeUndefined();
  expect(await check(['::ffff:10.0.0.0/104'], '10.1.2.3')).toBeUndefined();
  for (const host of ['[::127.0.0.1]', '[64:ff9b::127.0.0.1]', '[2002:7f00:1::]', '[::ffff:0:127.0.0.1]'])
    expect(await check(LOOPBACK, host)).toMatchObject(forbidden);
  // Networks of one family say nothing of the other.
  expect(await check(['::/0'], '127.0.0.1')).toMatchObject(forbidden);
  expect(await check(['0.0.0.0/0'], '[::1]')).toMatchObject(forbidden);
});

test('what the operator allows is allowed for all addresses of a name, or not at all', async () => {
  expect(await check(LOOPBACK, 'localhost')).toMatchObject(forbidden);
  expect(await check([...LOOPBACK, '::1'], 'localhost')).toBeUndefined();
});

test('what the operator allows does not open other ports', async () => {
  expect(await createOutbound().check('http://127.0.0.1:22/')).toMatchObject({ reason: 'port' });
});

test.each(['127.1', '10.0.0.0/33x', 'localhost', '', 'fe80::1%eth0'])(
  'what the operator allows must be networks: %j',
  (network) => {
    expect(() => new Outbound({ allow: [network] })).toThrow(TypeError);
  },
);

test('a name that leads nowhere is told apart, when it is given and when it is called', async () => {
  const outbound = createOutbound({ lookup: notFound });
  const message = 'The name hooks.example.com was not found.';
  expect(await outbound.check('https://HOOKS.example.com./')).toEqual({ reason: 'unresolvable', message });
  const error = { code: 'unresolvable', message };
  await expect(outbound.post('https://hooks.example.com/', REQUEST)).rejects.toMatchObject(error);
  const empty = createOutbound({ lookup: async () => [] });
  expect(await empty.check('https://hooks.example.com/')).toEqual({ reason: 'unresolvable', message });
});

test('a name that leads nowhere may come back when its servers do', async () => {
  const failing = () => Promise.reject(Object.assign(new Error('queryA ESERVFAIL'), { code: 'ESERVFAIL' }));
  const refusal = await createOutbound({ lookup: failing }).check('https://hooks.example.com/');
  expect(refusal).toMatchObject({ reason: 'unresolvable', message: expect.stringContaining('Try again') as string });
});

test('a name that leads nowhere holds nobody up for longer than a call may take', async () => {
  const outbound = createOutbound({ lookup: () => new Promise(() => undefined), timeoutMs: 500 });
  expect(await outbound.check('https://hooks.example.com/')).toMatchObject({ reason: 'unresolvable' });
  await expect(outbound.post('https://hooks.example.com/', REQUEST)).rejects.toMatchObject({ code: 'timeout' });
});
