/**
 * One kept-alive HTTP/1.1 connection with one request at a time, as lean as can be: on a machine of few cores, whatever the
 * load generator costs is taken from what it measures. Understands only what the server sends: a length and a body.
 */
import { connect, type Socket } from 'node:net';

export interface WireAnswer {
  status: number;
  body: string;
}

interface Pending {
  resolve: (answer: WireAnswer) => void;
  reject: (error: Error) => void;
}

const MAX_ATTEMPTS = 3;
const END_OF_HEAD = '\r\n\r\n';

export class Wire {
  readonly #url: URL;
  /** The caller's credential. */
  readonly bearer: string;
  readonly #head: string;
  #socket: Socket | undefined;
  #isClosed = false;
  #pending: Pending | undefined;
  #received: Buffer = Buffer.alloc(0);

  constructor(url: string, bearer: string) {
    this.#url = new URL(url);
    this.bearer = bearer;
    this.#head = `Host: ${this.#url.host}\r\nAuthorization: Bearer ${bearer}\r\nContent-Type: application/json\r\n`;
  }

  /** Requests that were sent again on another connection, as every client of a kept-alive connection must be ready to do. */
  repeats = 0;

  /** Sends a request, again when the connection ends before the answer. */
  async request(method: string, path: string, body?: object): Promise<WireAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#requestOnce(method, path, body);
      } catch (error) {
        if (this.#isClosed || attempt === MAX_ATTEMPTS) throw error;
        this.repeats += 1;
      }
    }
  }

  async #requestOnce(method: string, path: string, body?: object): Promise<WireAnswer> {
    const socket = await this.#connected();
    const text = body === undefined ? '' : JSON.stringify(body);
    const answer = new Promise<WireAnswer>((resolve, reject) => (this.#pending = { resolve, reject }));
    const length = `Content-Length: ${Buffer.byteLength(text)}`;
    socket.write(`${method} ${path} HTTP/1.1\r\n${this.#head}${length}${END_OF_HEAD}${text}`);
    return answer;
  }

  /** Sends an object, expects 200 and an object. */
  async post<Answer>(path: string, body: object): Promise<Answer> {
    const answer = await this.request('POST', path, body);
    if (answer.status !== 200) throw new Error(`POST ${path} was answered ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body) as Answer;
  }

  get origin(): string {
    return this.#url.origin;
  }

  /** Another connection of the same caller. */
  reopen(): Wire {
    return new Wire(this.origin, this.bearer);
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.destroy();
  }

  async #connected(): Promise<Socket> {
    if (this.#socket && !this.#socket.destroyed) return this.#socket;
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true });
    this.#socket = socket;
    socket.on('data', (bytes) => this.#take(bytes));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the connection was closed')));
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return socket;
  }

  #fail(error: Error): void {
    this.#pending?.reject(error);
    this.#pending = undefined;
    this.#received = Buffer.alloc(0);
  }

  #take(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const end = this.#received.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const from = end + END_OF_HEAD.length;
    if (this.#received.length < from + length) return;
    const body = this.#received.toString('utf8', from, from + length);
    this.#received = Buffer.alloc(0);
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.resolve({ status: Number(head.slice(9, 12)), body });
  }
}
