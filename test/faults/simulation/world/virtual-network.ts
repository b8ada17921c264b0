/**
 * Between agents and servers: messages that take their time, vanish, arrive twice or after their successors, connections that
 * break on one side only. An agent's call looks as over HTTP: it is answered, or refused, or nobody knows.
 */
import { errorTable, type AgentEvent } from '@berth/contract';
import {
  AppError,
  DatabaseUnavailableError,
  ServerError,
  toServerError,
  type AgentCalls,
  type AttemptKey,
  type CallingHost,
  type ServerCalls,
} from '@berth/testing/simulation';
import type { VirtualMachine } from './virtual-agent.ts';
import type { VirtualProcess } from './virtual-process.ts';
import type { VirtualServer } from './virtual-server.ts';
import type { World } from './world.ts';

const HEARTBEAT_TIMEOUT_MS = 5_000;
const CALL_TIMEOUT_MS = 30_000;
const CLAIM_EXTRA_MS = 10_000;
const MAX_LATE_MS = 20_000;

/** One call on its way, on both sides. */
interface Exchange {
  client: VirtualProcess;
  server: VirtualServer | undefined;
  /** What the server does when it hears that the caller hung up. */
  closeListeners: (() => void)[];
  break: (reason: string) => void;
}

type Handle<Result> = (calls: AgentCalls, host: CallingHost, connection: Connection) => Promise<Result>;
interface Connection {
  once(event: 'close', listener: () => void): void;
}

interface Call<Result> {
  name: string;
  timeoutMs: number;
  signal: AbortSignal;
  handle: Handle<Result>;
}

export class VirtualNetwork {
  /** Rewrites events on their way: a defect that a test plants. */
  rewrite: (events: AgentEvent[]) => AgentEvent[] = (events) => events;
  readonly #world: World;
  readonly #exchanges = new Set<Exchange>();

  constructor(world: World) {
    this.#world = world;
  }

  connect(machine: VirtualMachine, process: VirtualProcess, sessionId: string): ServerCalls {
    const { truth } = this.#world;
    const call = <Result>(name: string, timeoutMs: number, signal: AbortSignal, handle: Handle<Result>) =>
      this.#call(machine, process, { name, timeoutMs, signal, handle });
    const session = { id: sessionId, agentVersion: '1', platforms: ['sandbox'] };
    const noFiles = () => Promise.reject(new Error('no simulated task moves files'));
    return {
      startSession: (signal) =>
        call('session', CALL_TIMEOUT_MS, signal, (calls, host) => calls.startSession(host, session)),
      heartbeat: (inHand: AttemptKey[], signal) => {
        const attempts = inHand.map(({ taskId, fence }) => ({ task_id: taskId, fence }));
        return call('heartbeat', HEARTBEAT_TIMEOUT_MS, signal, async (calls, host) => {
          const { revoked, resync } = await calls.heartbeat(host, sessionId, attempts);
          return { revoked, isResyncWanted: resync };
        });
      },
      claim: (slots, waitMs, signal) =>
        call('claim', waitMs + CLAIM_EXTRA_MS, signal, (calls, host, connection) =>
          calls.claim(host, sessionId, { slots, waitMs }, connection),
        ),
      report: async (events, signal) => {
        for (const event of events) {
          if (event.kind !== 'started' && event.kind !== 'terminal') truth.noteSentEnd(machine.disk, event);
        }
        await call('report', CALL_TIMEOUT_MS, signal, (calls, host) =>
          calls.report(host, sessionId, this.rewrite(events)),
        );
      },
      openFiles: () => ({ download: noFiles, upload: noFiles }),
    };
  }

  #call<Result>(machine: VirtualMachine, process: VirtualProcess, call: Call<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const exchange: Exchange = { client: process, server: undefined, closeListeners: [], break: () => undefined };
      const finish = (settle: () => void, isHungUp: boolean) => {
        if (!this.#exchanges.delete(exchange)) return;
        timer.run = undefined;
        call.signal.removeEventListener('abort', onAbort);
        if (isHungUp) this.#hangUp(exchange);
        settle();
      };
      const breakOff = (reason: string) =>
        finish(() => reject(new ServerError('unreachable', `${call.name}: ${reason}`)), true);
      const onAbort = () => breakOff('aborted');
      const timer = process.after(call.timeoutMs, () => breakOff('no answer in time'));
      exchange.break = breakOff;
      this.#exchanges.add(exchange);
      call.signal.addEventListener('abort', onAbort);
      const answer = {
        resolve: (value: Result) => finish(() => resolve(value), false),
        reject: (error: Error) => finish(() => reject(error), false),
      };
      this.#request(machine, exchange, call, answer);
    });
  }

  /** Sends the request, once or twice. */
  #request<Result>(machine: VirtualMachine, exchange: Exchange, call: Call<Result>, answer: Settle<Result>): void {
    const { random, weather, servers } = this.#world;
    const copies = random.chance(weather.doubled) ? 2 : 1;
    if (copies > 1) this.#world.count('doubled message');
    for (let copy = 0; copy < copies; copy += 1) {
      const server = servers.length === 0 ? undefined : random.pick(servers);
      this.#send(machine, exchange, () => {
        if (!server?.process.isAlive) return this.#reset(exchange);
        exchange.server = server;
        // A paused server takes the connection and says nothing.
        if (server.process.isPaused)
          server.process.after(0, () => this.#serve(machine, exchange, server, call, answer));
        else this.#serve(machine, exchange, server, call, answer);
      });
    }
  }

  #serve<Result>(
    machine: VirtualMachine,
    exchange: Exchange,
    server: VirtualServer,
    { name, handle }: Call<Result>,
    answer: Settle<Result>,
  ): void {
    const connection: Connection = { once: (_event, listener) => void exchange.closeListeners.push(listener) };
    this.#world.say(() => `server ${server.number} gets ${name} of ${this.#world.nameOf(machine)}`);
    const respond = (settle: () => void) => this.#send(machine, exchange, settle, exchange.client);
    server
      .serve(machine.hostId, (calls, host) => handle(calls, host, connection))
      .then(
        (value) => {
          this.#world.say(() => `server ${server.number} answers ${name}: ${JSON.stringify(value)}`);
          respond(() => answer.resolve(value));
        },
        (error: unknown) => respond(() => answer.reject(this.#toAgentError(name, error))),
      );
  }

  #toAgentError(name: string, error: unknown): ServerError {
    if (error instanceof AppError) return toServerError(name, errorTable[error.code].status, error.code, error.message);
    if (!(error instanceof DatabaseUnavailableError)) {
      this.#world.truth.fail(`the server failed with a defect: ${(error as Error).stack}`);
    }
    return toServerError(name, 503, 'unavailable', '');
  }

  /** Moves a message: `arrive` happens later, or never. To a process it happens only while that process lives. */
  #send(machine: VirtualMachine, exchange: Exchange, arrive: () => void, to?: VirtualProcess): void {
    const { random, weather, time } = this.#world;
    const isCutOff = machine.cutOffUntilMs > time.nowMs;
    if (isCutOff || random.chance(weather.lost)) {
      this.#world.count(to ? 'lost answer' : 'lost request');
      return;
    }
    if (random.chance(weather.reset)) {
      this.#world.count('reset connection');
      return this.#reset(exchange);
    }
    const isLate = random.chance(weather.late);
    if (isLate) this.#world.count('late message');
    const ms = isLate ? random.int(100, MAX_LATE_MS) : random.skewed(1, 80);
    if (to) to.after(ms, arrive, true);
    else time.after(ms, arrive, true);
  }

  #reset(exchange: Exchange): void {
    exchange.client.after(this.#world.random.int(1, 100), () => exchange.break('the connection was reset'), true);
  }

  /** The server hears that the caller is gone, unless the connection stays half open. */
  #hangUp({ server, closeListeners }: Exchange): void {
    const { random, weather } = this.#world;
    if (!server) return;
    if (random.chance(weather.halfOpen)) return this.#world.count('half-open connection');
    server.process.after(random.skewed(1, 80), () => closeListeners.forEach((listener) => listener()));
  }

  /** An agent's process died. @param isNoticed whether its system still closed the connections */
  dropClient(process: VirtualProcess | undefined, isNoticed: boolean): void {
    for (const exchange of [...this.#exchanges]) {
      if (exchange.client !== process) continue;
      this.#exchanges.delete(exchange);
      if (isNoticed) this.#hangUp(exchange);
    }
  }

  /** A server's process died: its callers hear of it, or run into their timeouts. */
  dropServer(server: VirtualServer): void {
    const { random, weather } = this.#world;
    for (const exchange of [...this.#exchanges]) {
      if (exchange.server === server && !random.chance(weather.halfOpen)) this.#reset(exchange);
    }
  }
}

interface Settle<Result> {
  resolve: (value: Result) => void;
  reject: (error: Error) => void;
}
