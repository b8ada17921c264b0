/**
 * Between agents and servers: messages that take their time, vanish, arrive twice or after their successors, connections that
 * break on one side only, and strangers that answer in the server's place. An agent's call looks as over HTTP: it is answered,
 * by whomever, or refused, or nobody knows.
 */
import { errorTable, type AgentEvent, type ErrorCode } from '@berth/contract';
import {
  AppError,
  DatabaseUnavailableError,
  ServerConnection,
  ServerError,
  type AgentCalls,
  type CallingHost,
  type HttpAnswer,
  type HttpCall,
  type ServerCalls,
} from '@berth/testing/simulation';
import { toForeignAnswer, toJsonAnswer } from './foreign-answers.ts';
import type { VirtualMachine } from './virtual-agent.ts';
import type { VirtualProcess } from './virtual-process.ts';
import type { VirtualServer } from './virtual-server.ts';
import type { World } from './world.ts';

const MAX_LATE_MS = 20_000;

/** One call on its way, on both sides. */
interface Exchange {
  client: VirtualProcess;
  server: VirtualServer | undefined;
  /** What the server does when it hears that the caller hung up. */
  endListeners: Set<() => void>;
  break: (reason: string) => void;
}

type Handle = (calls: AgentCalls, host: CallingHost, body: Body, onEnd: OnEnd) => Promise<object>;
type OnEnd = (callback: () => void) => () => void;

interface Body {
  session_id: string;
  agent_version: string;
  platforms: string[];
  tasks: { task_id: string; fence: number }[];
  slots: number;
  wait_ms: number;
  known?: { task_id: string; fence: number }[];
  events: AgentEvent[];
}

interface Call {
  name: string;
  timeoutMs: number;
  signal: AbortSignal;
  body: Body;
  handle: Handle;
}

/** What the routes of the agent protocol do, by the last part of their paths. */
const handles: Record<string, Handle> = {
  session: async (calls, host, { session_id: id, agent_version: agentVersion, platforms }) => ({
    terminals: await calls.startSession(host, { id, agentVersion, platforms }),
  }),
  heartbeat: (calls, host, { session_id: id, tasks }) => calls.heartbeat(host, id, tasks),
  claim: async (calls, host, { session_id: id, slots, wait_ms: waitMs, known }, onEnd) => ({
    tasks: await calls.claim(host, id, { slots, waitMs, known }, onEnd),
  }),
  report: async (calls, host, { session_id: id, events }) => ({ verdicts: await calls.report(host, id, events) }),
};

export class VirtualNetwork {
  /** Rewrites events on their way: a defect that a test plants. */
  rewrite: (events: AgentEvent[]) => AgentEvent[] = (events) => events;
  #toBelieved = (given: HttpAnswer, _call: Call): HttpAnswer => given;
  readonly #world: World;
  readonly #exchanges = new Set<Exchange>();

  constructor(world: World) {
    this.#world = world;
  }

  /** A defect that a test plants: what a stranger says to a report passes for verdicts on it. */
  believeStrangers(): void {
    this.#toBelieved = (given, { name, body }) => {
      if (name !== 'report') return given;
      const verdicts = body.events.map(() => 'accepted');
      return toJsonAnswer(200, { session_id: body.session_id, verdicts });
    };
  }

  connect(machine: VirtualMachine, process: VirtualProcess, sessionId: string): ServerCalls {
    const send = (call: HttpCall) => this.#call(machine, process, this.#toCall(machine, call));
    const platforms = ['sandbox'] as const;
    return new ServerConnection({ transport: { send }, bearer: '', sessionId, version: '1', platforms });
  }

  #toCall(machine: VirtualMachine, { path, body: text, timeoutMs = 0, signal }: HttpCall): Call {
    const name = path.split('/').at(-1) ?? '';
    const body = JSON.parse(String(text)) as Body;
    for (const event of body.events ?? []) {
      if (event.kind !== 'started' && event.kind !== 'terminal') this.#world.truth.noteSentEnd(machine.disk, event);
    }
    return { name, timeoutMs, signal, body, handle: handles[name]! };
  }

  #call(machine: VirtualMachine, process: VirtualProcess, call: Call): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const exchange: Exchange = {
        client: process,
        server: undefined,
        endListeners: new Set(),
        break: () => undefined,
      };
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
      const answer = (given: HttpAnswer) => finish(() => resolve(given), false);
      this.#request(machine, exchange, call, answer);
    });
  }

  /** Sends the request, once or twice. */
  #request(machine: VirtualMachine, exchange: Exchange, call: Call, answer: Settle): void {
    const { random, weather, servers } = this.#world;
    if (this.#isForeign(machine)) return this.#answerInPlace(machine, exchange, call, answer);
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

  #serve(machine: VirtualMachine, exchange: Exchange, server: VirtualServer, call: Call, answer: Settle): void {
    const { name, handle, body } = call;
    const onEnd: OnEnd = (callback) => {
      exchange.endListeners.add(callback);
      return () => void exchange.endListeners.delete(callback);
    };
    this.#world.say(() => `server ${server.number} gets ${name} of ${this.#world.nameOf(machine)}`);
    const respond = (given: HttpAnswer) => {
      // It was carried out, and a stranger in between says something else.
      if (this.#isForeign(machine)) this.#answerInPlace(machine, exchange, call, answer);
      else this.#send(machine, exchange, () => answer(given), exchange.client);
    };
    server
      .serve(machine.hostId, (calls, host) => {
        const asSent = name === 'report' ? { ...body, events: this.rewrite(body.events) } : body;
        return handle(calls, host, asSent, onEnd);
      })
      .then(
        (value) => {
          this.#world.say(() => `server ${server.number} answers ${name}: ${JSON.stringify(value)}`);
          respond(toJsonAnswer(200, { session_id: body.session_id, ...value }));
        },
        (error: unknown) => respond(this.#toErrorAnswer(error)),
      );
  }

  #isForeign(machine: VirtualMachine): boolean {
    const { random, weather, time } = this.#world;
    return machine.answeredByOthersUntilMs > time.nowMs || random.chance(weather.foreign);
  }

  #answerInPlace(machine: VirtualMachine, exchange: Exchange, call: Call, answer: Settle): void {
    this.#world.count('foreign answer');
    const { what, given } = toForeignAnswer(this.#world.random, (call.body.events ?? []).length);
    this.#world.say(() => `${call.name} of ${this.#world.nameOf(machine)} is answered by a stranger: ${what}`);
    this.#send(machine, exchange, () => answer(this.#toBelieved(given, call)), exchange.client);
  }

  #toErrorAnswer(error: unknown): HttpAnswer {
    const code: ErrorCode = error instanceof AppError ? error.code : 'unavailable';
    if (!(error instanceof AppError) && !(error instanceof DatabaseUnavailableError)) {
      this.#world.truth.fail(`the server failed with a defect: ${(error as Error).stack}`);
    }
    const { status, msg } = errorTable[code];
    return toJsonAnswer(status, { ok: false, msg, data: null, code }, { 'x-error-code': code });
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
  #hangUp({ server, endListeners }: Exchange): void {
    const { random, weather } = this.#world;
    if (!server) return;
    if (random.chance(weather.halfOpen)) return this.#world.count('half-open connection');
    server.process.after(random.skewed(1, 80), () => endListeners.forEach((listener) => listener()));
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

type Settle = (given: HttpAnswer) => void;
