/**
 * The one HTTP client for addresses that users chose: webhooks and the like. Whoever chooses where a server calls, wants it
 * to call inside (SSRF). So each connection looks its name up anew, all its addresses are checked, and the connection goes
 * to an address that was checked, without a second look at the name. A connection that is kept was checked when it was
 * opened. Redirects are answers, and are never followed. Variables of the environment such as `HTTP_PROXY` mean nothing
 * here. Why it is built like this: docs/decisions/0031-outbound.md.
 *
 * A call waits for its place, for as long as it may take itself; one clock holds for all the rest: looking up, connecting,
 * TLS, sending and reading.
 */
import { createSecureContext, rootCertificates } from 'node:tls';
import { FairSemaphore } from '@berth/kit';
import { exchange, type OutboundAnswer } from './answer.ts';
import { openSocket, type Way } from './connect.ts';
import { Connections, type ConnectionLimits } from './connections.ts';
import { OutboundError, toExchangeError, type OutboundErrorCode } from './errors.ts';
import { listOwnAddresses, NetworkGuard } from './networks.ts';
import { createLookup, resolveName, type Lookup } from './resolve.ts';
import { readTarget, toRefusal, type OutboundRefusal, type Target } from './target.ts';

type CallStage = 'waiting' | 'resolving' | 'connecting' | 'sending' | 'reading';

/** What is said when the time is over, by what was going on. */
const late: Record<CallStage, readonly [OutboundErrorCode, string]> = {
  waiting: ['busy', 'This server has too many other calls under way. Try again later.'],
  resolving: ['timeout', 'The name could not be looked up in time.'],
  connecting: ['timeout', 'No connection could be made in time.'],
  sending: ['timeout', 'No answer came in time.'],
  reading: ['answer_too_slow', 'The answer began, but was not complete in time.'],
};

/** The time of one call, and all that may end it early. */
class CallClock {
  /** Ends whatever the call is doing. */
  readonly signal: AbortSignal;
  stage: CallStage = 'waiting';
  readonly #startedAtMs = performance.now();
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #caller: AbortSignal | undefined;

  /** @param caller may call it off */
  constructor(ms: number, caller: AbortSignal | undefined) {
    this.signal = this.#controller.signal;
    this.#caller = caller;
    this.#timer = setTimeout(() => this.#end(new OutboundError(...late[this.stage])), ms);
    caller?.addEventListener('abort', this.cancel, { once: true });
    if (caller?.aborted) this.cancel();
  }

  get elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAtMs);
  }

  /**
   * Waits for work, but no longer than the call may take. Work that is given up ends by the signal.
   * @throws OutboundError timeout, answer_too_slow, busy or cancelled
   */
  async race<Result>(work: Promise<Result>): Promise<Result> {
    const over = new Promise<never>((_resolve, reject) => {
      const end = (): void => reject(this.signal.reason as OutboundError);
      if (this.signal.aborted) end();
      else this.signal.addEventListener('abort', end, { once: true });
    });
    return Promise.race([over, work]);
  }

  readonly cancel = (): void => this.#end(new OutboundError('cancelled', 'The call was called off.'));

  stop(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.cancel);
  }

  #end(reason: OutboundError): void {
    this.stop();
    this.#controller.abort(reason);
  }
}

const CALL_MS = 15_000;
const LIMITS: ConnectionLimits = { total: 128, perOrigin: 8, maxWaiting: 1_000, idleMs: 4_000 };
/** Names that users have looked up: an account that gives names without an answer holds up itself. */
const CHECKS = { places: 64, perOwner: 4, maxWaiting: 16 };
/** A message with a picture. */
const MAX_REQUEST_BYTES = 3 * 1024 * 1024;
/** What the client writes itself. */
const ownHeaders = [
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
];
const isHeaderName = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
/** Printable, in the first 256 characters of Unicode: no line break ends it. */
const isHeaderValue = /^[\t\x20-\x7e\xa0-\xff]*$/;

export interface OutboundOptions {
  /** Addresses or networks (`192.168.7.0/24`, `fd00::/8`) that may be called although they are not public. */
  allow: readonly string[];
  /** An HTTP proxy that knows CONNECT. All calls go through it. */
  proxy?: URL | undefined;
  /** For tests, as are all below. */
  lookup?: Lookup;
  listOwn?: () => readonly string[];
  timeoutMs?: number;
  limits?: Partial<ConnectionLimits>;
  /** Certificates of authorities, as PEM, that are believed besides the usual ones. */
  authorities?: readonly string[];
}

export interface OutboundRequest {
  /** Whose call it is: the calls of one user hold up those of no other. */
  ownerId: string;
  /** Names and values. Whatever a user has a say in, the caller has to check. */
  headers: Readonly<Record<string, string>>;
  /** Up to 3 MiB. */
  body: string | Uint8Array;
  signal?: AbortSignal | undefined;
}

/** @throws TypeError: a mistake of the caller, not of a user */
const assertRequest = ({ headers, body }: OutboundRequest): void => {
  if (Buffer.byteLength(body) > MAX_REQUEST_BYTES) throw new TypeError('the body of a call is larger than 3 MiB');
  for (const [name, value] of Object.entries(headers)) {
    const isRight = isHeaderName.test(name) && isHeaderValue.test(value) && !ownHeaders.includes(name.toLowerCase());
    // The value may be a secret.
    if (!isRight) throw new TypeError(`the header ${JSON.stringify(name)} cannot be sent`);
  }
};

const isRefusal = (target: Target | OutboundRefusal): target is OutboundRefusal => 'reason' in target;

export class Outbound {
  readonly #guard: NetworkGuard;
  readonly #lookup: Lookup;
  readonly #way: Way;
  readonly #timeoutMs: number;
  readonly #connections: Connections;
  readonly #checks = new FairSemaphore(CHECKS);
  /** Of the calls under way. */
  readonly #clocks = new Set<CallClock>();
  #isClosed = false;

  /** @throws TypeError when something in `allow` is no network */
  constructor({ allow, proxy, lookup, listOwn, timeoutMs, limits, authorities }: OutboundOptions) {
    this.#guard = new NetworkGuard({ allow, listOwn: listOwn ?? listOwnAddresses });
    this.#lookup = lookup ?? createLookup();
    const trust = createSecureContext(authorities ? { ca: [...rootCertificates, ...authorities] } : {});
    this.#way = { proxy, trust };
    this.#timeoutMs = timeoutMs ?? CALL_MS;
    this.#connections = new Connections({ ...LIMITS, ...limits });
  }

  /** What is open and kept at this moment. */
  get counts(): { connections: number; idleOrigins: number } {
    return this.#connections.counts;
  }

  /**
   * Whether an address may be called, as things are now; for the moment when a user gives it. Calls nobody.
   * @param ownerId who asks: owners take turns
   * @returns what is wrong with it; undefined = nothing. `unresolvable` may pass by itself
   * @throws TooManyWaitingError
   */
  async check(url: string, ownerId = ''): Promise<OutboundRefusal | undefined> {
    const target = readTarget(url);
    if (isRefusal(target)) return target;
    try {
      await this.#checks.run(ownerId, () => this.#inTime((clock) => this.#findAddresses(target, clock)));
      return undefined;
    } catch (error) {
      const { code, message } = error as OutboundError;
      if (code === 'refused_address') return toRefusal('forbidden_address');
      if (code === 'unresolvable' || code === 'timeout') return { reason: 'unresolvable', message };
      throw error;
    }
  }

  /**
   * Sends one POST, and reads the beginning of the answer, whatever its status is. Nothing is sent twice: what happened to a
   * call that failed is not known, and calling again is up to the caller.
   * @throws OutboundError
   * @throws TypeError for a body that is too large, and for headers that nobody may set
   */
  async post(url: string, request: OutboundRequest): Promise<OutboundAnswer> {
    assertRequest(request);
    const target = readTarget(url);
    if (isRefusal(target)) throw new OutboundError('refused_address', target.message);
    const call = () =>
      this.#inTime(async (clock) => {
        const answer = await this.#exchange(target, request, clock);
        return { ...answer, ms: clock.elapsedMs };
      }, request.signal);
    return this.#inTime(
      (waiting) =>
        this.#connections.inTurn(`${request.ownerId} ${target.origin}`, async () => {
          waiting.signal.throwIfAborted();
          waiting.stop();
          return call();
        }),
      request.signal,
    );
  }

  /** Ends all connections; calls that are under way fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const clock of this.#clocks) clock.cancel();
    this.#connections.close();
  }

  /** Does work of one call, for as long as that may take. */
  async #inTime<Result>(work: (clock: CallClock) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const clock = new CallClock(this.#timeoutMs, signal);
    if (this.#isClosed) clock.cancel();
    this.#clocks.add(clock);
    try {
      return await clock.race(work(clock));
    } finally {
      clock.stop();
      this.#clocks.delete(clock);
    }
  }

  /** @throws OutboundError refused_address, unresolvable */
  async #findAddresses({ name }: Target, clock: CallClock): Promise<string[]> {
    clock.stage = 'resolving';
    const addresses = this.#guard.admit(await resolveName(this.#lookup, name, clock.signal));
    if (addresses) return addresses;
    throw new OutboundError('refused_address', toRefusal('forbidden_address').message);
  }

  #exchange(target: Target, { headers, body }: OutboundRequest, clock: CallClock) {
    const open = async () => {
      clock.signal.throwIfAborted();
      const addresses = await this.#findAddresses(target, clock);
      clock.stage = 'connecting';
      return openSocket(target, addresses, this.#way, clock.signal);
    };
    return this.#connections.use(target.origin, open, async (connection) => {
      const end = (): void => connection.destroy();
      clock.signal.addEventListener('abort', end, { once: true });
      clock.stage = 'sending';
      try {
        clock.signal.throwIfAborted();
        const sent = { path: target.path, headers: { 'accept-encoding': 'identity', ...headers }, body };
        return await exchange(connection, sent, () => (clock.stage = 'reading'));
      } catch (error) {
        throw toExchangeError(error, connection.isOverfull);
      } finally {
        clock.signal.removeEventListener('abort', end);
      }
    });
  }
}
