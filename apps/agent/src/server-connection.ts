import { Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { AgentEvent, DeliveredTask, Platform, WantedTerminal } from '@berth/contract';
import type { AttemptKey } from './attempt-ledger.ts';
import { exchange, type Answer } from './http-exchange.ts';
import type { TaskFiles } from './platforms/driver.ts';
import { ServerError, toServerError } from './server-error.ts';

/** Room for the largest answers: the terminals of a session, and a claim of every slot with payloads of 16 KiB. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Two lost heartbeats must fit between a first one and the host being declared lost (20 s). */
const HEARTBEAT_TIMEOUT_MS = 5_000;
const CALL_TIMEOUT_MS = 30_000;
const FILE_TIMEOUT_MS = 60_000;
/** On top of the time for which a claim may wait at the server. */
const CLAIM_EXTRA_MS = 10_000;

export interface HeartbeatAnswer {
  /** Ids of the tasks whose attempts no longer count. */
  revoked: string[];
  /** The server had given the host up: it needs to hear of every terminal again. */
  isResyncWanted: boolean;
}

/** What the loops ask of the server. Every call rejects with a ServerError. */
export interface ServerCalls {
  /** @returns what this host must keep. */
  startSession(signal: AbortSignal): Promise<WantedTerminal[]>;
  heartbeat(inHand: AttemptKey[], signal: AbortSignal): Promise<HeartbeatAnswer>;
  claim(slots: number, waitMs: number, signal: AbortSignal): Promise<DeliveredTask[]>;
  report(events: AgentEvent[], signal: AbortSignal): Promise<void>;
  /** The files of one attempt. */
  openFiles(task: DeliveredTask, signal: AbortSignal): TaskFiles;
}

export interface ServerAddress {
  serverUrl: string;
  version: string;
}

interface Call {
  path: string;
  method?: 'GET' | 'POST';
  body: string | Buffer;
  contentType?: string;
  timeoutMs?: number;
  maxAnswerBytes?: number;
  signal: AbortSignal;
}

const toMessage = (body: Buffer): string => {
  try {
    const { msg, message } = JSON.parse(body.toString('utf8')) as { msg?: unknown; message?: unknown };
    return [msg, message].find((text) => typeof text === 'string') ?? '';
  } catch {
    return '';
  }
};

const toList = <Item>(answer: Record<string, unknown>, name: string): Item[] => {
  const list = answer[name];
  if (!Array.isArray(list)) throw new ServerError('unreachable', `The answer lacks the list "${name}"`);
  return list as Item[];
};

/** Keeps connections open and sends calls, with or without a credential. */
export class ServerTransport {
  readonly #base: URL;
  readonly #agent: PlainAgent;
  readonly #version: string;

  constructor({ serverUrl, version }: ServerAddress) {
    this.#base = new URL(serverUrl.endsWith('/') ? serverUrl : `${serverUrl}/`);
    const options = { keepAlive: true, maxFreeSockets: 4 };
    this.#agent = this.#base.protocol === 'https:' ? new SecureAgent(options) : new PlainAgent(options);
    this.#version = version;
  }

  async send(call: Call, bearer?: string): Promise<Answer> {
    const answer = await exchange(this.#agent, {
      method: call.method ?? 'POST',
      url: new URL(call.path, this.#base),
      headers: {
        accept: 'application/json',
        'user-agent': `berth-agent/${this.#version}`,
        ...(call.method === 'GET' ? {} : { 'content-type': call.contentType ?? 'application/json' }),
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      },
      ...(call.method === 'GET' ? {} : { body: call.body }),
      timeoutMs: call.timeoutMs ?? CALL_TIMEOUT_MS,
      maxAnswerBytes: call.maxAnswerBytes ?? MAX_ANSWER_BYTES,
      signal: call.signal,
    });
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw toServerError(call.path, answer.status, answer.errorCode, toMessage(answer.body));
  }

  /** Sends and reads JSON objects. */
  async sendJson(call: Omit<Call, 'body'> & { body: object }, bearer?: string): Promise<Record<string, unknown>> {
    const { body } = await this.send({ ...call, body: JSON.stringify(call.body) }, bearer);
    try {
      return JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    } catch (cause) {
      throw new ServerError('unreachable', `${call.path} was not answered with JSON`, undefined, { cause });
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

export interface ConnectionOptions {
  transport: ServerTransport;
  bearer: string;
  sessionId: string;
  version: string;
  platforms: readonly Platform[];
}

/** The agent protocol for one host and one session. */
export class ServerConnection implements ServerCalls {
  readonly #options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  #call(path: string, body: object, signal: AbortSignal, timeoutMs = CALL_TIMEOUT_MS) {
    const { transport, bearer, sessionId } = this.#options;
    return transport.sendJson({ path, body: { session_id: sessionId, ...body }, signal, timeoutMs }, bearer);
  }

  async startSession(signal: AbortSignal): Promise<WantedTerminal[]> {
    const { version, platforms } = this.#options;
    const answer = await this.#call('v1/agent/session', { agent_version: version, platforms }, signal);
    return toList(answer, 'terminals');
  }

  async heartbeat(inHand: AttemptKey[], signal: AbortSignal): Promise<HeartbeatAnswer> {
    const tasks = inHand.map(({ taskId, fence }) => ({ task_id: taskId, fence }));
    const answer = await this.#call('v1/agent/heartbeat', { tasks }, signal, HEARTBEAT_TIMEOUT_MS);
    return { revoked: toList(answer, 'revoked'), isResyncWanted: answer.resync === true };
  }

  async claim(slots: number, waitMs: number, signal: AbortSignal): Promise<DeliveredTask[]> {
    const body = { slots, wait_ms: waitMs };
    return toList(await this.#call('v1/agent/claim', body, signal, waitMs + CLAIM_EXTRA_MS), 'tasks');
  }

  async report(events: AgentEvent[], signal: AbortSignal): Promise<void> {
    await this.#call('v1/agent/report', { events }, signal);
  }

  openFiles(task: DeliveredTask, signal: AbortSignal): TaskFiles {
    const { transport, bearer } = this.#options;
    const folder = `v1/agent/tasks/${encodeURIComponent(task.id)}/files`;
    const limits = { timeoutMs: FILE_TIMEOUT_MS, signal };
    return {
      download: async (fileId) => {
        const path = `${folder}/${encodeURIComponent(fileId)}`;
        const call = { ...limits, path, method: 'GET', body: '', maxAnswerBytes: MAX_FILE_BYTES } as const;
        return (await transport.send(call, bearer)).body;
      },
      upload: async (name, content) => {
        const path = `${folder}?name=${encodeURIComponent(name)}&fence=${task.fence}`;
        const call = { ...limits, path, body: content, contentType: 'application/octet-stream' };
        const { body } = await transport.send(call, bearer);
        const { file, url } = JSON.parse(body.toString('utf8')) as UploadAnswer;
        return { id: file.id, url, sha256: file.sha256, size: file.size, type: file.type };
      },
    };
  }
}

interface UploadAnswer {
  file: { id: string; sha256: string; size: number; type: string };
  url: string;
}
