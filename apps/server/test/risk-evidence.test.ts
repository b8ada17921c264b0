/** The evidence of a breach: what hosts may add to it, who reads it, and that its chain shows what was changed. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  MAX_EVIDENCE_LINES,
  MAX_EVIDENCE_LINES_PER_CALL,
  type EvidenceLine,
  type ReportedEvidence,
} from '@berth/contract';
import { TestHost, useTestServer } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

const server = useTestServer();
let host: TestHost;
let otherHost: TestHost;
let owner: { id: string; token: string };
const folder = mkdtempSync(join(tmpdir(), 'berth-evidence-'));
beforeAll(async () => {
  host = await TestHost.enrol(server, { capacity: 100 });
  otherHost = await TestHost.enrol(server, { capacity: 100 });
  const { user, token } = await server.register('Owner');
  owner = { id: user.id, token };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const breach = async (userId = owner.id, token = owner.token) => {
  const [row] = await server.query(
    `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status)
     select gen_random_uuid(), id, default_project_id, $2, 0, 'sandbox', 'Scalper', 'Harbour-Demo', '5001', 3
     from users where id = $1 returning id`,
    [userId, host.id],
  );
  const terminalId = row!.id as string;
  const rule = { name: 'Daily loss', kind: 'daily_loss', amount: '250', terminal_ids: [terminalId] };
  const created = await server.request('POST', '/v1/my/risk-rules', {
    token,
    body: { ...rule, actions: ['close_all', 'lock'] },
  });
  const report = {
    ...{ id: randomUUID(), terminal_id: terminalId, rule_id: (created.body as { data: { id: string } }).data.id },
    ...{ decided_at: Date.now(), value: '9750.00', limit: '9750.00', first_order_ms: 3, closed: 1, total: 1 },
    ...{ left_open: [], actions: [{ action: 'lock', ok: true, at: Date.now(), message: null }], has_ended: false },
  };
  const send = (changes: object = {}) =>
    host.call('risk', { states: [], warnings: [], breaches: [{ ...report, ...changes }] });
  await send();
  return { id: report.id, terminalId, ruleId: report.rule_id, send };
};

const toLines = (count: number, from = 1, kind: ReportedEvidence['kind'] = 'numbers'): ReportedEvidence[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ line: from + index, at: Date.now(), kind },
    body: JSON.stringify({ sequence: from + index, equity: '9750.00' }),
  }));
const send = async (breachId: string, lines: ReportedEvidence[], changes: object = {}, from = host) => {
  const sent = { breach_id: breachId, sent_at: Date.now(), lines, is_complete: false, ...changes };
  const { status, body } = await from.call('risk-evidence', sent);
  return status === 200 ? (body as { last_line: number | null }).last_line : status;
};
const download = async (breachId: string, token = owner.token) => {
  const response = await fetch(`${server.url}/v1/my/risk-breaches/${breachId}/evidence`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const read = async (breachId: string): Promise<EvidenceLine[]> =>
  (await download(breachId)).text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as EvidenceLine);
const toKinds = (lines: EvidenceLine[]) => lines.map(({ source, kind }) => `${source} ${kind}`);

/** The script of docs/risk.md, as it stands there. */
const script = /```js\n([\s\S]*?)```/.exec(
  readFileSync(join(import.meta.dirname, '../../../docs/risk.md'), 'utf8').split('## Evidence')[1] ?? '',
)![1]!;
/** @returns its last line, or what it complains of */
const verify = (text: string): string => {
  const [program, file] = [join(folder, 'verify.mjs'), join(folder, 'evidence.jsonl')];
  writeFileSync(program, script);
  writeFileSync(file, text);
  try {
    return execFileSync(process.execPath, [program, file], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch (error) {
    return /Error: (.*)/.exec((error as { stderr: string }).stderr)?.[1] ?? String(error);
  }
};

it('the evidence of a breach begins and ends with the server, and has the lines of its host between, in their order', async () => {
  const { id, ruleId, send: report } = await breach();
  expect(await send(id, [...toLines(2), ...toLines(1, 3, 'decision')])).toBe(3);
  await report({ has_ended: true });
  expect(await send(id, toLines(1, 4, 'end'), { is_complete: true })).toBe(4);
  const lines = await read(id);
  expect(toKinds(lines)).toEqual([
    ...['server header', 'server rule', 'host numbers', 'host numbers', 'host decision', 'host end', 'server end'],
  ]);
  expect(lines[0]!.body).toMatchObject({
    breach: { id, value: '9750.00', limit: '9750.00' },
    note: expect.stringContaining('broker'),
    terminal: { login: '5001', server: 'Harbour-Demo' },
    host: { id: host.id, clock_offset_ms: expect.any(Number) },
    builds: { agent: expect.any(String), server: expect.any(String) },
    times: { time_zone: 'UTC', day_starts: '00:00', day_began_at: expect.stringMatching(/T00:00:00/) },
  });
  expect(lines[1]!.body).toMatchObject({ id: ruleId, version: 1, by: { user_id: owner.id }, rule: { amount: '250' } });
  expect(lines[2]!.body).toEqual({ sequence: 1, equity: '9750.00' });
  expect(lines.at(-1)!.body).toMatchObject({ phase: 'ended', closed: 1, kept: { is_complete: true, lines: 6 } });
});

it('lines that are sent again are not written twice, and what follows a gap waits for what is missing', async () => {
  const { id } = await breach();
  expect(await send(id, toLines(2))).toBe(2);
  expect(await send(id, toLines(2))).toBe(2);
  expect(await send(id, toLines(1, 4))).toBe(2);
  // All of it once more, as by an agent that was started again.
  expect(await send(id, toLines(4))).toBe(4);
  expect(await send(id, [])).toBe(4);
  const lines = (await read(id)).filter(({ source }) => source === 'host');
  expect(lines.map(({ body }) => body.sequence)).toEqual([1, 2, 3, 4]);
});

it('two calls at once write each line once, in one chain', async () => {
  const { id } = await breach();
  const again = await Promise.all([1, 2, 3, 4].map(() => send(id, toLines(50))));
  expect(again).toEqual([50, 50, 50, 50]);
  expect((await read(id)).filter(({ source }) => source === 'host')).toHaveLength(50);
  expect(verify((await download(id)).text)).toMatch(/^53 lines/);
});

it('a host adds nothing to the breach of another host, and nothing to one that does not exist', async () => {
  const { id } = await breach();
  expect(await send(id, toLines(1), {}, otherHost)).toBeNull();
  expect(await send(randomUUID(), toLines(1))).toBeNull();
  expect((await read(id)).filter(({ source }) => source === 'host')).toEqual([]);
});

it('nothing is added to evidence that its host has called complete', async () => {
  const { id } = await breach();
  expect(await send(id, toLines(2), { is_complete: true })).toBe(2);
  const before = (await download(id)).text.split('\n').slice(0, 4);
  expect(await send(id, toLines(3, 3))).toBe(5);
  expect((await download(id)).text.split('\n').slice(0, 4)).toEqual(before);
});

it('a stranger finds no evidence of a breach', async () => {
  const { id } = await breach();
  const { token } = await server.register('Stranger');
  expect((await download(id, token)).status).toBe(404);
  expect((await download(randomUUID())).status).toBe(404);
  expect((await download(id)).status).toBe(200);
});

it('evidence is a file of JSON lines, which is not sent again to whoever has it', async () => {
  const { id, send: report } = await breach();
  await send(id, toLines(1), { is_complete: true });
  await report({ has_ended: true });
  const { headers } = await download(id);
  expect(headers.get('content-type')).toContain('application/jsonl');
  expect(headers.get('content-disposition')).toContain(`breach-${id}.jsonl`);
  const etag = headers.get('etag')!;
  const again = await fetch(`${server.url}/v1/my/risk-breaches/${id}/evidence`, {
    headers: { authorization: `Bearer ${owner.token}`, 'if-none-match': etag },
  });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

it('what is no JSON of an object, too long, or beyond the bounds of a breach is counted and left out', async () => {
  const { id } = await breach();
  const odd = toLines(4).map((line, index) => ({
    ...line,
    body: ['[]', 'no', '"x"', `{"x":"${'é'.repeat(4_000)}"}`][index]!,
  }));
  expect(await send(id, odd)).toBe(4);
  for (let from = 5; from <= MAX_EVIDENCE_LINES + 10; from += MAX_EVIDENCE_LINES_PER_CALL) {
    await send(id, toLines(MAX_EVIDENCE_LINES_PER_CALL, from));
  }
  const lines = await read(id);
  expect(lines.filter(({ source }) => source === 'host')).toHaveLength(MAX_EVIDENCE_LINES - 4);
  expect(lines.at(-1)!.body).toMatchObject({ kept: { host_lines_left_out: 4 + 104 } });
  const tooMany = toLines(MAX_EVIDENCE_LINES_PER_CALL + 1, 2_000);
  expect(await send(id, tooMany)).toBe(422);
}, 60_000);

it('a host fills the disk for one user no further than its bound of a day, and takes nothing of the share of another', async () => {
  const first = await breach();
  const { user, token } = await server.register('Neighbour');
  const other = await breach(user.id, token);
  await send(first.id, toLines(1));
  await server.query('update risk_evidence_heads set bytes = 32 * 1024 * 1024 where breach_id = $1', [first.id]);
  const second = await breach();
  expect(await send(second.id, toLines(3))).toBe(3);
  expect((await read(second.id)).filter(({ source }) => source === 'host')).toEqual([]);
  expect(await send(other.id, toLines(3))).toBe(3);
  const { text } = await download(other.id, token);
  expect(text.match(/"source":"host"/g)).toHaveLength(3);
  // Also of a breach of long ago, of which it says more today.
  await server.query(`update risk_evidence_heads set written_at = now() - interval '2 days' where breach_id = $1`, [
    first.id,
  ]);
  expect(await send(first.id, toLines(1, 2))).toBe(2);
  expect(await send(second.id, toLines(1, 4))).toBe(4);
  expect((await read(second.id)).filter(({ source }) => source === 'host')).toEqual([]);
  await server.query('update risk_evidence_heads set bytes = 0');
});

it('the script of the page finds a line that was changed, removed, added or moved in a file', async () => {
  const { id } = await breach();
  await send(id, toLines(5));
  const { text } = await download(id);
  const lines = text.trimEnd().split('\n');
  expect(verify(text)).toMatch(/^8 lines, [0-9a-f]{64}$/);
  const cases: [string[], string][] = [
    [lines.toSpliced(3, 1), 'Line 4 is not what was written.'],
    [lines.toSpliced(0, 1), 'Line 1 is not what was written.'],
    [lines.toSpliced(-1, 1), 'The last lines are missing.'],
    [lines.with(3, lines[3]!.replace('9750.00', '9850.00')), 'Line 4 is not what was written.'],
    [[...lines.slice(0, 2), lines[3]!, lines[2]!, ...lines.slice(4)], 'Line 3 is not what was written.'],
    [lines.toSpliced(4, 0, lines[3]!), 'Line 5 is not what was written.'],
  ];
  for (const [tampered, complaint] of cases) expect(verify(`${tampered.join('\n')}\n`)).toBe(complaint);
});

it('a line that was changed, removed or moved in the database shows in the file', async () => {
  const tamper = async (statement: string) => {
    const { id } = await breach();
    await send(id, toLines(5));
    await server.query(statement, [id]);
    return verify((await download(id)).text);
  };
  expect(
    await tamper(`update risk_evidence set line = replace(line, '9750', '9850') where breach_id = $1 and n = 4`),
  ).toBe('Line 4 is not what was written.');
  expect(await tamper(`delete from risk_evidence where breach_id = $1 and n = 4`)).toBe(
    'Line 4 is not what was written.',
  );
  expect(await tamper(`delete from risk_evidence where breach_id = $1 and n = 7`)).toBe(
    'Line 7 is not what was written.',
  );
  expect(await tamper(`update risk_evidence set n = 100 where breach_id = $1 and n = 4`)).toBe(
    'Line 4 is not what was written.',
  );
});

it('evidence has the cash of the day, the deals since the decision, and who unlocked', async () => {
  const { id, terminalId } = await breach();
  await server.query(
    `with account as (
       insert into trading_accounts (terminal_id, login, server_name) values ($1, '5001', 'Harbour-Demo') returning id
     )
     insert into deals (account_id, ticket, user_id, at, order_ticket, position_id, symbol, side, entry, volume, price, commission,
       swap, profit, magic, comment)
     select id, ticket, $2, now() + age::interval, 0, 0, 'EURUSD', side, 'out', 0.1, 1.04, 0, 0, profit, '0', ''
     from account, (values (1, '-3 days', 'balance', 10000), (2, '-0.1 seconds', 'balance', -500), (3, '-10 seconds', 'sell', 7),
       (4, '1 second', 'sell', -250)) as v (ticket, age, side, profit)`,
    [terminalId, owner.id],
  );
  const unlocked = await server.request('POST', `/v1/my/trading/terminals/${terminalId}/unlock`, {
    token: owner.token,
    body: { reason: 'talked to the trader' },
  });
  expect(unlocked.status).toBe(200);
  const lines = await read(id);
  const found = lines.filter(({ kind }) => ['cash', 'deal', 'unlock'].includes(kind));
  expect(found.map(({ kind, body }) => [kind, body.ticket ?? body.reason]).sort()).toEqual([
    ['cash', '2'],
    ['deal', '4'],
    ['unlock', 'talked to the trader'],
  ]);
});

it('evidence says which rule decided the breach, and how and by whom it was changed since', async () => {
  const { id, ruleId } = await breach();
  await send(id, toLines(1));
  const change = (body: object) => server.request('PATCH', `/v1/my/risk-rules/${ruleId}`, { token: owner.token, body });
  expect((await change({ amount: '900' })).status).toBe(200);
  await server.request('DELETE', `/v1/my/risk-rules/${ruleId}`, { token: owner.token });
  const lines = await read(id);
  expect(lines[1]!.body).toMatchObject({ version: 1, rule: { amount: '250', terminals: 1 } });
  expect(lines.filter(({ kind }) => kind === 'rule_changed').map(({ body }) => body)).toMatchObject([
    { version: 2, by: { user_id: owner.id, is_session: false }, rule: { amount: '900' } },
    { version: 3, by: { user_id: owner.id }, rule: null },
  ]);
});

it('evidence goes with its breach', async () => {
  const { id } = await breach();
  await send(id, toLines(2));
  await server.query('delete from risk_breaches where id = $1', [id]);
  const count = (table: string) => server.query(`select from ${table} where breach_id = $1`, [id]);
  expect([(await count('risk_evidence')).length, (await count('risk_evidence_heads')).length]).toEqual([0, 0]);
});
