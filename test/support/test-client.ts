/**
 * A plain HTTP client for tests. It sends exactly what it is given, wrong input too: for tests of exactly that. What a
 * user would do is done with `@berth/client`.
 */
import { Berth } from '@berth/client';

export interface TestAnswer {
  status: number;
  headers: Headers;
  /** The parsed JSON, of any shape: tests read what they assert. Undefined for any other content. */
  body: any;
  /** The raw content. */
  bytes: Buffer;
}

export interface TestRequest {
  token?: string | undefined;
  /** Sent as JSON; a string or a buffer as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestUser {
  id: string;
  name: string;
  email: string;
  password: string;
}

/** Somebody who has an account, with a client of their own. */
export interface TestAccount {
  token: string;
  berth: Berth;
  user: TestUser;
}

export interface TestClient {
  /** Creates an account of its own for a test. The e-mail address is made from the name. */
  register(name: string): Promise<TestAccount>;
  request(method: string, path: string, options?: TestRequest): Promise<TestAnswer>;
  /** Creates a terminal, on login 1 at `Demo` in region 0 unless it is said otherwise. @returns its id */
  createTerminal(token: string, changes?: object): Promise<string>;
  upload(
    token: string,
    content: Uint8Array | undefined,
    name?: string,
    headers?: Record<string, string>,
  ): Promise<TestAnswer>;
}

export const TEST_PASSWORD = 'correct horse battery';

const toBody = (body: unknown): { body?: RequestInit['body']; headers: Record<string, string> } => {
  if (body === undefined) return { headers: {} };
  const headers = { 'content-type': 'application/json' };
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  return { body: isRaw ? (body as RequestInit['body']) : JSON.stringify(body), headers };
};

/** A stream that does not end is only opened; `EventReader` reads it. */
const leave = async (response: Response): Promise<Buffer> => {
  await response.body?.cancel();
  return Buffer.alloc(0);
};

/** A client of the server at this address; each account that it registers has an address of its own. */
export const createTestClient = (url: string): TestClient => {
  let users = 0;
  const request: TestClient['request'] = async (method, path, { token, body, headers } = {}) => {
    const content = toBody(body);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { accept: 'application/json', ...content.headers, ...authorization, ...headers },
      ...(content.body === undefined ? {} : { body: content.body }),
    });
    const type = response.headers.get('content-type') ?? '';
    const bytes = type === 'text/event-stream' ? await leave(response) : Buffer.from(await response.arrayBuffer());
    const isJson = type.startsWith('application/json') && bytes.length > 0;
    const parsed: unknown = isJson ? JSON.parse(bytes.toString()) : undefined;
    return { status: response.status, headers: response.headers, body: parsed, bytes };
  };
  const register: TestClient['register'] = async (name) => {
    users += 1;
    const email = `${name.toLowerCase().replace(/[^a-z0-9]+/g, '.')}.${users}@example.com`;
    const { token } = await new Berth({ baseUrl: url }).auth.register({ name, email, password: TEST_PASSWORD });
    const berth = new Berth({ baseUrl: url, token });
    const { id } = await berth.account.profile();
    return { token, berth, user: { id, name, email, password: TEST_PASSWORD } };
  };
  const createTerminal: TestClient['createTerminal'] = async (token, changes = {}) => {
    const order = { server_name: 'Demo', login: '1', password: 'secret-password', region: 0, ...changes };
    const answer = await request('POST', '/v1/my/trading/terminals', { token, body: order });
    return (answer.body as { data: { id: string } }).data.id;
  };
  const upload: TestClient['upload'] = (token, body, name = 'a.ex5', headers = {}) => {
    const sent = { 'content-type': 'application/octet-stream', ...headers };
    return request('POST', `/v1/my/files?name=${encodeURIComponent(name)}`, { token, body, headers: sent });
  };
  return { request, register, createTerminal, upload };
};
