import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  AgentEvent,
  DeliveredTask,
  HostFacts,
  ReportedAccount,
  ReportedCharts,
  Sample,
  SwitchCheck,
  WantedTerminal,
} from '@berth/contract';

type Body = Record<string, unknown>;
type Reply = {
  status?: number;
  code?: string;
  body?: object;
  cutsConnection?: boolean;
  /** In place of JSON. */
  text?: string;
  headers?: Record<string, string>;
};

const toSha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

export const UPLOADED_ID = '01900000-0000-7000-8000-000000000001';
export const JOIN_TOKEN = 'join-token-of-the-test';

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** A peer of the agent: implements the server's side of the protocol over real sockets and records what it receives. */
export class ProtocolServer {
  readonly hostId = randomUUID();
  readonly credential = `${this.hostId}|secret-${randomUUID()}`;
  readonly events: AgentEvent[] = [];
  readonly reportSizes: number[] = [];
  readonly heartbeats: { task_id: string; fence: number }[][] = [];
  readonly sessions: string[] = [];
  readonly samples: Sample[][] = [];
  /** Reports of terminals' charts, call by call; and terminals whose charts are to be reported again. */
  readonly charts: ReportedCharts[][] = [];
  readonly tooSoon = new Set<string>();
  /** Reports of accounts, call by call. */
  readonly accounts: ReportedAccount[][] = [];
  /** Reports of switch checks, call by call. */
  readonly checks: SwitchCheck[][] = [];
  /** What the host said of its machine, by the call that said it. */
  readonly facts: [call: string, facts: HostFacts][] = [];
  /** What claims said that the agent knows. */
  readonly known: unknown[] = [];
  readonly uploads: { name: string; content: Buffer }[] = [];
  readonly files = new Map<string, Buffer>();
  /** The ranges requested by downloads; '' for the whole. Answers are cut after this many bytes, if given. */
  readonly ranges: string[] = [];
  cutsAfterBytes: number[] = [];
  enrolments = 0;
  wanted: WantedTerminal[] = [];
  /** Answers that replace the usual one, by the last part of the path; each is used once. */
  readonly replies = new Map<string, Reply[]>();
  /** Answers in place of the usual one as long as it returns some: before anything is carried out. */
  inPlace: (call: string, body: Buffer) => Reply | undefined = () => undefined;
  readonly revoked = new Set<string>();
  /** Answers the next heartbeat with the wish to hear of every terminal again. */
  wantsResync = false;
  #ready: DeliveredTask[] = [];
  #asked: string[] = [];
  #waiting: { slots: number; answer: () => void }[] = [];
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async open(): Promise<this> {
    const server = createServer((request, response) => void this.#serve(request, response));
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  /** Goes away as a crashed server does: connections are cut. `open` brings it back on the same port. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#waiting = [];
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  deliver(...tasks: DeliveredTask[]): void {
    this.#ready.push(...tasks);
    this.#answerClaims();
  }

  /** Asks on which of these terminals algo trading could be turned off. */
  askChecks(...terminalIds: string[]): void {
    this.#asked.push(...terminalIds);
    this.#answerClaims();
  }

  ends(taskId: string): AgentEvent[] {
    return this.events.filter(({ task_id, kind }) => task_id === taskId && kind !== 'started' && kind !== 'terminal');
  }

  statuses(terminalId: string): number[] {
    return this.events.flatMap(({ terminal_id, status }) => (terminal_id === terminalId ? [status ?? 0] : []));
  }

  replyOnce(call: string, ...replies: Reply[]): void {
    this.replies.set(call, [...(this.replies.get(call) ?? []), ...replies]);
  }

  #answerClaims(): void {
    for (const { answer } of this.#waiting.splice(0)) answer();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const call = url.pathname.split('/').at(-1) ?? '';
    const bytes = await readBody(request).catch(() => undefined);
    if (!bytes) return;
    const stranger = this.inPlace(call, bytes);
    if (stranger) return this.#send(response, stranger);
    const isEnrol = call === 'enrol';
    if (!isEnrol && request.headers.authorization !== `Bearer ${this.credential}`) {
      return this.#send(response, {
        status: 401,
        code: 'unauthenticated',
        body: { ok: false, msg: 'Unauthenticated.' },
      });
    }
    if (url.pathname.includes('/files')) return this.#serveFile(request, url, bytes, response);
    const body = JSON.parse(bytes.toString('utf8')) as Body;
    const usual = await this.#answer(call, body, response);
    const special = this.replies.get(call)?.shift();
    if (special?.cutsConnection) return void response.destroy();
    this.#send(response, special ?? usual);
  }

  #send(response: ServerResponse, { status = 200, code, body = {}, text, headers = {} }: Reply): void {
    if (code) response.setHeader('x-error-code', code);
    const type = text === undefined ? 'application/json' : 'text/html';
    response.writeHead(status, { 'content-type': type, ...headers }).end(text ?? JSON.stringify(body));
  }

  /** Every answer of a session names it. */
  async #answer(call: string, body: Body, response: ServerResponse): Promise<Reply> {
    const reply = await this.#answerCall(call, body, response);
    if (reply.code !== undefined || call === 'enrol') return reply;
    return { ...reply, body: { session_id: body.session_id, ...reply.body } };
  }

  async #answerCall(call: string, body: Body, response: ServerResponse): Promise<Reply> {
    if (call !== 'enrol' && call !== 'session' && body.session_id !== this.sessions.at(-1)) {
      return { status: 409, code: 'session_superseded' };
    }
    if (body.facts) this.facts.push([call, body.facts as HostFacts]);
    switch (call) {
      case 'samples':
        this.samples.push(body.samples as Sample[]);
        return { body: { taken: 0 } };
      case 'charts':
        this.charts.push(body.terminals as ReportedCharts[]);
        return { body: { too_soon: [...this.tooSoon] } };
      case 'accounts':
        this.accounts.push(body.terminals as ReportedAccount[]);
        return { body: { too_soon: [], refused: [], cursors: [] } };
      case 'enrol':
        if (body.join_token !== JOIN_TOKEN) return { status: 401, code: 'unauthenticated' };
        this.enrolments += 1;
        return { body: { host_id: this.hostId, credential: this.credential, region: 0, name: 'test' } };
      case 'session':
        this.sessions.push(String(body.session_id));
        return { body: { terminals: this.wanted } };
      case 'heartbeat':
        this.heartbeats.push(body.tasks as { task_id: string; fence: number }[]);
        return { body: { revoked: [...this.revoked], resync: this.#takeResync() } };
      case 'claim':
        this.known.push(body.known);
        return { body: await this.#claim(Number(body.slots), Number(body.wait_ms), response) };
      case 'checks':
        this.checks.push(body.checks as SwitchCheck[]);
        return { body: { taken: 0 } };
      case 'report':
        return { body: { verdicts: this.#report(body.events as AgentEvent[]) } };
      default:
        return { status: 404, code: 'route_not_found' };
    }
  }

  #takeResync(): boolean {
    const { wantsResync } = this;
    this.wantsResync = false;
    return wantsResync;
  }

  async #claim(slots: number, waitMs: number, response: ServerResponse): Promise<object> {
    if (this.#ready.length + this.#asked.length === 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        const answer = () => {
          clearTimeout(timer);
          resolve();
        };
        this.#waiting.push({ slots, answer });
        response.once('close', answer);
      });
    }
    if (response.destroyed) return { tasks: [] };
    const checks = this.#asked.splice(0);
    return { tasks: this.#ready.splice(0, slots), ...(checks.length > 0 ? { checks } : {}) };
  }

  #report(events: AgentEvent[]): string[] {
    if ((this.replies.get('report')?.length ?? 0) === 0) {
      this.events.push(...events);
      this.reportSizes.push(events.length);
    }
    return events.map(() => 'accepted');
  }

  #serveFile(request: IncomingMessage, url: URL, bytes: Buffer, response: ServerResponse): void {
    if (request.method === 'POST') {
      const special = this.replies.get('files')?.shift();
      if (special) return this.#send(response, special);
      this.uploads.push({ name: url.searchParams.get('name') ?? '', content: bytes });
      const sha256 = toSha256(bytes);
      const file = { id: UPLOADED_ID, name: 'x', size: bytes.length, sha256, type: 'image/png', created_at: '' };
      return this.#send(response, { body: { file, url: 'http://files/1' } });
    }
    const content = this.files.get(url.pathname.split('/').at(-1) ?? '');
    if (!content) return this.#send(response, { status: 404, code: 'not_found', body: { msg: 'File not found.' } });
    this.#sendFile(request, content, response);
  }

  #sendFile({ headers }: IncomingMessage, content: Buffer, response: ServerResponse): void {
    this.ranges.push(headers.range ?? '');
    const etag = `"${toSha256(content)}"`;
    const from = headers['if-range'] === etag ? Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0) : 0;
    const length = content.length - from;
    const common = { 'content-type': 'application/octet-stream', 'content-length': length, etag };
    if (from === 0) response.writeHead(200, common);
    else
      response.writeHead(206, { ...common, 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` });
    const cut = this.cutsAfterBytes.shift();
    if (cut === undefined) return void response.end(content.subarray(from));
    response.write(content.subarray(from, from + cut), () => setTimeout(() => response.destroy(), 50));
  }
}
