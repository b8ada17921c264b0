/** A host for tests: speaks the agent protocol over real HTTP, and does exactly what the test says. */
import { createHash, randomUUID } from 'node:crypto';
import {
  TerminalStatus,
  type AccountState,
  type AgentEvent,
  type Deal,
  type DeliveredTask,
  type HostFacts,
  type ReportedAccount,
  type Sample,
  type TaskStep,
  type TerminalChart,
  type WantedTerminal,
} from '@berth/contract';
import { issueJoinToken } from '../../apps/server/src/hosts/join-tokens.ts';
import { needsScreenshot, toScreenshotFacts, toProof } from './proofs.ts';
import type { TestAnswer, TestClient } from './test-client.ts';
import type { TestServer } from './test-server.ts';

export const toStep = (changes: Partial<TaskStep> = {}): TaskStep => ({
  step: 'do',
  ok: true,
  code: null,
  message: 'done',
  at: new Date().toISOString(),
  data: {},
  ...changes,
});

/** A terminal that is linked and takes little. */
export const toSample = (terminalId: string, changes: Partial<Sample> = {}): Sample => ({
  terminal_id: terminalId,
  link: 'up',
  ping_ms: 20,
  memory_mb: 100,
  cpu_percent: 1.5,
  disk_mb: 40,
  ...changes,
});

/** A chart with an expert that runs. */
export const toChart = (changes: Partial<TerminalChart> = {}): TerminalChart => ({
  chart_id: '130000000000000001',
  symbol: 'EURUSD',
  period: 'H1',
  expert: {
    name: 'Trend',
    inputs: { Lots: '0.10' },
    allow_algo_trading: 1,
    allow_dll: 0,
    sha256: 'a'.repeat(64),
    state: 'running',
  },
  ...changes,
});

/** An account without positions. */
export const toAccountState = (changes: Partial<AccountState> = {}): AccountState => ({
  sequence: 1,
  age_ms: 0,
  at: new Date().toISOString(),
  currency: 'USD',
  currency_digits: 2,
  leverage: 100,
  margin_mode: 'hedging',
  balance: '10000.00',
  credit: '0.00',
  equity: '10000.00',
  profit: '0.00',
  margin: '0.00',
  free_margin: '10000.00',
  margin_level: null,
  trading_allowed: true,
  is_synchronized: true,
  positions_total: 0,
  orders_total: 0,
  positions: [],
  orders: [],
  last_deal: null,
  connected: true,
  tick_age_ms: null,
  ...changes,
});

/** A deal that closed a position just now. */
export const toDeal = (ticket: number | string, changes: Partial<Deal> = {}): Deal => ({
  ticket: String(ticket),
  order: '70',
  position_id: '69',
  symbol: 'EURUSD',
  side: 'sell',
  entry: 'out',
  volume: '0.10',
  price: '1.05000',
  commission: '-0.70',
  swap: '0.00',
  profit: '12.30',
  magic: '0',
  comment: '',
  at: new Date().toISOString(),
  type: 'trade',
  fee: '0.00',
  out_by: 'expert',
  ...changes,
});

/** What a host learns of the accounts that it reports. */
interface AccountAnswer {
  too_soon: string[];
  refused: { terminal_id: string; reason: string }[];
  cursors: { terminal_id: string; last_ticket: string | null; complete_until: string | null }[];
}

interface Upload {
  file: { id: string; sha256: string; size: number; type: string };
  url: string;
}

export class TestHost {
  readonly id: string;
  readonly credential: string;
  sessionId: string = randomUUID();
  readonly #server: Pick<TestClient, 'request'>;

  /** A host that is enrolled already; it has no session yet. */
  constructor(server: Pick<TestClient, 'request'>, { id, credential }: { id: string; credential: string }) {
    this.#server = server;
    this.id = id;
    this.credential = credential;
  }

  /** Enrols a host and starts its first session. */
  static async enrol(server: TestServer, { region = 0, capacity = 100, name = 'test-host' } = {}): Promise<TestHost> {
    const { joinToken } = await issueJoinToken(server.services.db, { region, name, capacity });
    return TestHost.join(server, joinToken);
  }

  /** The same by a join token. */
  static async join(server: Pick<TestClient, 'request'>, joinToken: string): Promise<TestHost> {
    const body = { join_token: joinToken, platforms: ['sandbox'] };
    const answer = await server.request('POST', '/v1/agent/enrol', { body });
    const { host_id: id, credential } = answer.body as { host_id: string; credential: string };
    const host = new TestHost(server, { id, credential });
    await host.startSession();
    return host;
  }

  call(path: string, body: Record<string, unknown>): Promise<TestAnswer> {
    return this.#server.request('POST', `/v1/agent/${path}`, {
      token: this.credential,
      body: { session_id: this.sessionId, ...body },
    });
  }

  /** A call that must not be refused. */
  async #ask<Body>(path: string, body: Record<string, unknown>): Promise<Body> {
    const answer = await this.call(path, body);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.bytes.toString()}`);
    return answer.body as Body;
  }

  async startSession(facts?: HostFacts): Promise<WantedTerminal[]> {
    this.sessionId = randomUUID();
    const answer = await this.call('session', { agent_version: 'test', platforms: ['sandbox'], facts });
    return (answer.body as { terminals: WantedTerminal[] }).terminals;
  }

  /** Waits for work: a task that the scheduler touches at this very moment is left out of a claim that does not wait. */
  async claim(slots = 100, waitMs = 20_000): Promise<DeliveredTask[]> {
    const wish = { slots, wait_ms: waitMs };
    const { tasks, checks } = await this.#ask<{ tasks: DeliveredTask[]; checks?: string[] }>('claim', wish);
    // An answer that asks for checks came early.
    return checks && tasks.length === 0 ? this.claim(slots, waitMs) : tasks;
  }

  async report(...events: (Partial<AgentEvent> & { kind: string })[]): Promise<string[]> {
    const body = { events: events.map((event) => ({ at: Date.now(), ...event })) };
    return (await this.#ask<{ verdicts: string[] }>('report', body)).verdicts;
  }

  heartbeat(tasks: { id: string; fence: number }[] = []): Promise<TestAnswer> {
    return this.call('heartbeat', { tasks: tasks.map(({ id, fence }) => ({ task_id: id, fence })) });
  }

  /** @returns how many were kept */
  async sendSamples(...samples: Sample[]): Promise<number> {
    return ((await this.call('samples', { samples })).body as { taken: number }).taken;
  }

  /** @returns whether it is to be reported again later */
  async sendCharts(terminalId: string, ...charts: TerminalChart[]): Promise<boolean> {
    const terminals = [{ terminal_id: terminalId, charts, truncated: false }];
    return ((await this.call('charts', { terminals })).body as { too_soon: string[] }).too_soon.length > 0;
  }

  /** Reports accounts, those with the login 5001 at `Harbour-Demo` unless they say others. */
  sendAccounts(...reported: (Partial<ReportedAccount> & { terminal_id: string })[]): Promise<AccountAnswer> {
    const account = { login: '5001', server: 'Harbour-Demo' };
    return this.#ask<AccountAnswer>('accounts', { terminals: reported.map((each) => ({ ...account, ...each })) });
  }

  /** Reports the whole life of an attempt. @param data beside or in place of what proves that it was done */
  async complete(task: DeliveredTask, data: Record<string, unknown> = {}): Promise<string[]> {
    return this.reportDone(task, { ...(await this.prove(task, data)), ...data });
  }

  /** The same with these facts alone, whatever they prove. */
  reportDone({ id, fence }: DeliveredTask, data: Record<string, unknown>): Promise<string[]> {
    const task = { task_id: id, fence };
    return this.report({ kind: 'started', ...task }, { kind: 'completed', ...task, steps: [toStep({ data })] });
  }

  /** What a host has to have seen of a task that it carried out; a screenshot that is not known yet is uploaded. */
  async prove(task: DeliveredTask, known: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const proof = toProof(task);
    if (needsScreenshot(task.type) && known.file === undefined) {
      const { file } = await this.upload(task, Buffer.from('a screenshot'));
      return { ...proof, file: toScreenshotFacts(file) };
    }
    const { file_id: fileId } = task.payload;
    if (typeof fileId !== 'string' || known.sha256 !== undefined) return proof;
    const { bytes } = await this.download(task, fileId);
    return { ...proof, sha256: createHash('sha256').update(bytes).digest('hex') };
  }

  /** Uploads a file for an attempt that the host is running. */
  async upload(task: DeliveredTask, content: Buffer, name?: string): Promise<Upload> {
    return (await this.tryUpload(task, content, name)).body as Upload;
  }

  /** The same, with the whole answer. */
  tryUpload(
    { id, fence }: Pick<DeliveredTask, 'id' | 'fence'>,
    content: Buffer,
    name = 'screenshot.png',
  ): Promise<TestAnswer> {
    return this.#server.request('POST', `/v1/agent/tasks/${id}/files?name=${name}&fence=${fence}`, {
      token: this.credential,
      body: content,
      headers: { 'content-type': 'application/octet-stream' },
    });
  }

  /** Downloads the file of an attempt that the host is running. */
  download({ id }: DeliveredTask, fileId: string, headers: Record<string, string> = {}): Promise<TestAnswer> {
    const path = `/v1/agent/tasks/${id}/files/${fileId}`;
    return this.#server.request('GET', path, { token: this.credential, headers });
  }

  /** Installs every terminal that waits for it, so that it takes tasks. */
  async installAll(): Promise<void> {
    for (const task of await this.claim()) {
      await this.complete(task, { path: `/terminals/${task.terminal.id}`, build: 1 });
      await this.report({ kind: 'terminal', terminal_id: task.terminal.id, status: TerminalStatus.ACTIVE });
    }
  }
}
