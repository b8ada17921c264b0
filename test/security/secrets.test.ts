/**
 * The real thing lives through everything that has to do with a secret, at the most talkative log level. Then every row,
 * log, file, answer and process is searched: no secret stands anywhere in the clear.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TaskStatus, TaskType } from '@berth/contract';
import {
  endProcesses,
  farAhead,
  startTestStack,
  Vault,
  waitFor,
  withClient,
  type TestAnswer,
  type TestRequest,
  type TestStack,
} from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TerminalUser } from '../e2e/terminal-user.ts';
import { createSearch, listDescendants, listFiles, readProcess } from './support/secret-search.ts';

const secretKey = randomBytes(32).toString('hex');
/** Everything that must not be found, by what it is. */
const secrets = new Map<string, string>();
/** Answers of the server, but for those that hand a secret over once, by design. */
const answers: { request: string; answer: string }[] = [];
/** Start files that were seen with a password: their modes. */
const startFileModes = new Set<string>();
const startFiles = new Set<string>();

/** A secret that is recognised wherever it turns up. */
const invent = (name: string): string => {
  const secret = `Xq7${randomBytes(9).toString('hex')}Zw`;
  secrets.set(name, secret);
  return secret;
};

let stack: TestStack;
let terminalId: string;
let isWatching = true;
let watching: Promise<void>;

const request = async (method: string, path: string, options: TestRequest = {}): Promise<TestAnswer> => {
  const answer = await stack.request(method, path, options);
  const headers = JSON.stringify([...answer.headers]);
  const text = `${headers}\n${answer.bytes.toString('latin1')}`;
  answers.push({ request: `${method} ${path}`, answer: text });
  return answer;
};

/** As `fetch`, and keeps what comes, of a stream as long as it comes. */
const send: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const answer = `${JSON.stringify([...response.headers])}\n`;
  const kept = { request: `${init?.method} ${response.url.slice(stack.url.length)}`, answer };
  answers.push(kept);
  const write = (chunk: Uint8Array) => void (kept.answer += Buffer.from(chunk).toString('latin1'));
  response
    .clone()
    .body?.pipeTo(new WritableStream({ write }))
    .catch(() => undefined);
  return response;
};

/** Remembers a credential that an answer handed over; that answer alone may hold it. */
const remember = (name: string, credential: string): string => {
  secrets.set(name, credential.split('|')[1] ?? '');
  answers.pop();
  return credential;
};

const login = async (name: string, email: string, password: string): Promise<string> => {
  const { body } = await request('POST', '/v1/auth/login', { body: { email, password } });
  return remember(name, body.data.token);
};

const findMail = async (): Promise<string> => {
  const folder = join(stack.dataDir, 'mail');
  return waitFor(
    () => {
      const [mail] = existsSync(folder) ? [...listFiles(folder)] : [];
      return mail && /^ {4}(\w{5}-\w{5})$/m.exec(mail.content.toString())?.[1];
    },
    { what: 'the mail with the code' },
  );
};

/** Everything about an account of the service. */
const liveAsUser = async (): Promise<string> => {
  const email = 'secrets@example.com';
  const first = invent('first password');
  const registration = { body: { name: 'Secrets', email, password: first } };
  const token = remember(
    'token of the registration',
    (await request('POST', '/v1/auth/register', registration)).body.data.token,
  );
  await request('POST', '/v1/auth/login', { body: { email, password: invent('wrong password at login') } });
  const second = invent('second password');
  const path = '/v1/my/account/security/change-password';
  const wrong = {
    current_password: invent('wrong current password'),
    new_password: second,
    new_password_confirmation: second,
  };
  expect((await request('POST', path, { token, body: wrong })).status).toBe(422);
  const right = { ...wrong, current_password: first };
  expect((await request('POST', path, { token, body: right })).status).toBe(200);
  await request('POST', '/v1/auth/forgot-password', { body: { email } });
  const code = await findMail();
  secrets.set('code for a new password', code.replace('-', ''));
  const third = invent('third password');
  const reset = { email, code, password: third, password_confirmation: third };
  expect((await request('POST', '/v1/auth/reset-password', { body: { ...reset, code: 'WRONG' } })).status).toBe(422);
  expect((await request('POST', '/v1/auth/reset-password', { body: reset })).status).toBe(200);
  const session = await login('token of the login', email, third);
  const created = await request('POST', '/v1/my/account/tokens', { token: session, body: { name: 'api' } });
  return remember('API token', created.body.data.token);
};

/** Requests that are refused, or that put secrets where none belong. */
const sendBadRequests = async (token: string): Promise<void> => {
  const leak = invent('secret of a refused request');
  const headers = { authorization: `Bearer 1|${leak}`, cookie: `session=${leak}`, 'x-api-key': leak };
  await stack.request('GET', '/v1/my/account/profile', { headers });
  await stack.request('GET', `/v1/my/account/profile?token=${leak}&password=${leak}`, { token });
  await stack.request('GET', `/v1/${leak}`, { token });
  await stack.request('GET', `/v1/my/files/${leak}%ff`, { token });
  for (const body of [`{"password":"${leak}`, `["${leak}"]`, { password: { deep: leak }, login: leak, email: leak }]) {
    for (const path of ['/v1/auth/login', '/v1/auth/register', '/v1/my/trading/terminals']) {
      await request('POST', path, { token, body });
    }
  }
  const plain = { token, body: `password=${leak}`, headers: { 'content-type': 'text/plain' } };
  await request('POST', '/v1/my/trading/terminals', plain);
};

/** Everything about the accounts of a terminal. */
const liveAsTerminal = async (token: string): Promise<void> => {
  const user = new TerminalUser(stack.url, token, send);
  const account = { server_name: 'Secret-Demo', login: '7001', password: invent('trading password') };
  terminalId = (await user.createTerminal({ ...account, region: 1 })).id;
  await user.waitForStatus(terminalId, 'ACTIVE');
  const other = { server_name: 'Secret-Live', login: '7002', password: invent('password of a login') };
  await user.run(terminalId, 'ACCOUNT_LOGIN', other);
  const wrong = { ...other, password: invent('wrong trading password') };
  expect(await user.waitForEnd(terminalId, await user.createTask(terminalId, 'ACCOUNT_LOGIN', wrong))).toMatchObject({
    status: TaskStatus.FAILED,
  });
  const unknown = { server_name: 'Unknown-Broker', login: '1', password: invent('password for an unknown server') };
  await user.waitForEnd(terminalId, await user.createTask(terminalId, 'ACCOUNT_LOGIN', unknown));
  await user.run(terminalId, 'ACCOUNT_LOGIN');
  const later = {
    type: TaskType.ACCOUNT_LOGIN,
    payload: { ...other, password: invent('password of a planned login') },
    planned_at: farAhead,
  };
  const headers = { 'idempotency-key': 'one' };
  const tasks = `/v1/my/trading/terminals/${terminalId}/tasks`;
  const { body } = await request('POST', tasks, { token, body: later, headers });
  await request('POST', tasks, { token, body: later, headers });
  await request('POST', `${tasks}/${body.data.id}/cancel`, { token });
  const person = { server_name: 'Secret-Demo', name: 'Ada Lovelace', email: 'ada@example.com', balance: 5000 };
  await user.run(terminalId, 'ACCOUNT_OPEN_DEMO', person);
  for (const source of ['experts', 'journal']) await user.run(terminalId, 'EA_LOGS', { source, lines: 1000 });
  await request('GET', tasks, { token });
  await request('GET', '/v1/my/account/notifications?per_page=100', { token });
  await request('GET', '/v1/my/account/tokens', { token });
};

/** An operator who enrols a host by hand. */
const liveAsOperator = async (): Promise<void> => {
  const [, email = '', password = ''] = /Operator +(\S+)\n *Password +(\S+)/.exec(stack.server.output) ?? [];
  secrets.set('password of the operator', password);
  const token = await login('token of the operator', email, password);
  const order = { token, body: { region: 0, name: 'by hand' } };
  const { body } = await request('POST', '/v1/operator/join-tokens', order);
  const joinToken = remember('join token', body.data.join_token);
  const enrolment = await request('POST', '/v1/agent/enrol', { body: { join_token: joinToken, platforms: ['mt5'] } });
  remember('credential of a host', enrolment.body.credential);
  const unused = await request('POST', '/v1/operator/join-tokens', order);
  remember('unused join token', unused.body.data.join_token);
  await request('GET', '/v1/operator/hosts', { token });
};

/** The start file of the terminal in this folder: it lies on the terminal's drive, above the installation. */
const findStartFile = (folder: string): string | undefined => {
  for (let at = folder; at.startsWith(stack.dataDir) && at !== stack.dataDir; at = dirname(at)) {
    const path = join(at, 'berth.ini');
    if (existsSync(path)) return path;
  }
  return undefined;
};

/** One look at a start file, which its terminal's driver may replace or take away at any moment. */
const lookAtStartFile = (path: string): void => {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    startFiles.add(path);
    const { mode } = fstatSync(file);
    if (createSearch(secrets)(readFileSync(file)).length > 0) startFileModes.add((mode & 0o777).toString(8));
  } finally {
    closeSync(file);
  }
};

/** Looks at start files while terminals log in: whichever holds a password must be readable for nobody else. */
const watchStartFiles = async (): Promise<void> => {
  while (isWatching) {
    for (const { folder } of stack.processes('terminal')) {
      const path = findStartFile(folder);
      if (path !== undefined) lookAtStartFile(path);
    }
    await delay(20);
  }
};

/** The password of the demo account, which nobody but the vault knows. */
const openStoredPassword = (): Promise<string> =>
  withClient(stack.databaseUrl, async (client) => {
    const sql = `select sealed from terminal_secrets where terminal_id = $1 and field = 'password'`;
    const { rows } = await client.query<{ sealed: string }>(sql, [terminalId]);
    return new Vault([Buffer.from(secretKey, 'hex')]).open(rows[0]?.sealed ?? '', `terminals/${terminalId}/password`);
  });

beforeAll(async () => {
  stack = await startTestStack({
    isEmbedded: true,
    environment: { BERTH_LOG_LEVEL: 'trace', BERTH_SECRET_KEY: secretKey },
  });
  secrets.set('key of the instance', secretKey);
  watching = watchStartFiles();
  const token = await liveAsUser();
  await liveAsTerminal(token);
  await liveAsOperator();
  await sendBadRequests(token);
  secrets.set('password of the demo account', await openStoredPassword());
}, 600_000);

afterAll(async () => {
  isWatching = false;
  await watching;
  await stack.close();
  await endProcesses();
});

/** The operator's password is in the banner, once; the rest of the output is searched like everything else. */
const outputWithoutBanner = (): string =>
  stack.server.output
    .split('\n')
    .filter((line) => !/^ {2}(Password {3}|curl -s )/.test(line))
    .join('\n');

const expectNone = (findings: string[]): void => expect(findings).toEqual([]);

it('the search for secrets finds each of them in each writing', () => {
  const search = createSearch(secrets);
  expect(secrets.size).toBeGreaterThan(18);
  for (const [name, secret] of secrets) {
    expect(secret.length).toBeGreaterThan(7);
    const text = `x${secret}y`;
    for (const encoding of ['utf8', 'utf16le'] as const) {
      expect(search(Buffer.from(text, encoding))).toContain(name);
      expect(search(Buffer.from(text, encoding).toString('hex'))).toContain(name);
    }
    expect(search(Buffer.from(text).toString('base64'))).toContain(name);
  }
});

it('no secret stands in the clear in any row of any table', async () => {
  const search = createSearch(secrets);
  const findings = await withClient(stack.databaseUrl, async (client) => {
    const sql = `select table_name as name from information_schema.tables where table_schema = 'public'`;
    const { rows: tables } = await client.query<{ name: string }>(sql);
    const found: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} t`);
      for (const { text } of rows) found.push(...search(text).map((secret) => `${secret} in ${name}`));
    }
    return found;
  });
  expectNone(findings);
});

it('no secret stands in the clear in any log of server and agent, at the level trace', () => {
  const output = outputWithoutBanner();
  for (const program of ['server', 'agent']) expect(output).toContain(`"name":"${program}"`);
  expectNone(createSearch(secrets)(output));
});

it('no secret stands in the clear in any file: journals, accounts, charts, the database cluster; but the mail and each host their own', () => {
  const search = createSearch(secrets);
  const findings: string[] = [];
  let count = 0;
  for (const { path, content } of listFiles(stack.dataDir)) {
    count += 1;
    const isMail = path.startsWith(join(stack.dataDir, 'mail'));
    const found = search(content).filter((name) => !(isMail && name === 'code for a new password'));
    findings.push(...found.map((name) => `${name} in ${path}`));
  }
  expect(count).toBeGreaterThan(100);
  expectNone(findings);
});

it('no secret stands in the clear in any answer, and none in the metrics', async () => {
  const search = createSearch(secrets);
  expect(answers.length).toBeGreaterThan(30);
  const findings = answers.flatMap(({ request: from, answer }) => search(answer).map((name) => `${name} in ${from}`));
  const metrics = await stack.request('GET', '/metrics');
  expect(metrics.bytes.length).toBeGreaterThan(1000);
  expectNone([...findings, ...search(metrics.bytes).map((name) => `${name} in the metrics`)]);
});

it('no secret stands in the clear in the command line of any process, nor in the environment of any but the server, which got its key there', () => {
  const search = createSearch(secrets);
  const pids = new Set([...listDescendants(stack.server.pid), ...stack.processes().map(({ pid }) => pid)]);
  expect(pids.size).toBeGreaterThan(4);
  const findings = [...pids].flatMap((pid) => {
    const { commandLine, environment } = readProcess(pid);
    return [...search(commandLine), ...(pid === stack.server.pid ? [] : search(environment))];
  });
  expectNone(findings);
});

it('files that may hold a secret are start files, for their own account only, and only while the terminal logs in', async () => {
  expect([...startFileModes]).toEqual(['600']);
  const search = createSearch(secrets);
  expect([...startFiles].flatMap((path) => (existsSync(path) ? search(readFileSync(path)) : []))).toEqual([]);
});

it('files that may hold a secret are readable for nobody else: credentials, mails', () => {
  const paths = [...listFiles(stack.dataDir)].map(({ path }) => path).filter((path) => /credential|\.eml$/.test(path));
  expect(paths.length).toBeGreaterThan(4);
  for (const path of paths) expect([path, (statSync(path).mode & 0o077).toString(8)]).toEqual([path, '0']);
});

it('files that may hold a secret hold credentials of hosts that stand nowhere else', async () => {
  const paths = [...listFiles(stack.dataDir)].map(({ path }) => path).filter((path) => /credential/.test(path));
  const credentials = new Map(
    paths.map((path) => {
      const { credential } = JSON.parse(readFileSync(path, 'utf8')) as { credential: string };
      return [`credential in ${path}`, credential.split('|')[1] ?? ''];
    }),
  );
  expect(credentials.size).toBe(4);
  const search = createSearch(credentials);
  expectNone(search(stack.server.output));
  const hosts = await withClient(stack.databaseUrl, (client) =>
    client.query<{ text: string }>('select h::text as text from hosts h'),
  );
  expectNone(hosts.rows.flatMap(({ text }) => search(text)));
});
