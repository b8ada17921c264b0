import { connect, type Socket } from 'node:net';
import { readJsonLines, writeJsonLine } from '../../wire/json-lines.ts';
import type { Address } from '../../wire/network-file.ts';
import { MAX_SERVER_LINE_BYTES, toServerMessage, type ClientMessage, type ServerMessage } from '../../wire/protocol.ts';

/** How long a trading server may take to answer a connection, a ping or a login. */
const ANSWER_DEADLINE_MS = 10_000;

/** One TCP connection to a trading server: messages out, messages in, and the round trips measured on it. */
export class Link {
  readonly #socket: Socket;
  readonly #pings = new Map<number, () => void>();
  #onMessage: (message: ServerMessage) => void = () => {};
  #nextId = 1;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    readJsonLines(socket, {
      maxLineBytes: MAX_SERVER_LINE_BYTES,
      onMessage: (value) => this.#receive(toServerMessage(value)),
    });
  }

  /** Connects; undefined when nothing listens there. */
  static open({ host, port }: Address, signal: AbortSignal): Promise<Link | undefined> {
    return new Promise((resolve) => {
      const socket = connect({ host, port });
      const deadline = setTimeout(() => socket.destroy(), ANSWER_DEADLINE_MS);
      const abort = (): void => void socket.destroy();
      signal.addEventListener('abort', abort, { once: true });
      socket.on('error', () => socket.destroy());
      socket.once('close', () => {
        clearTimeout(deadline);
        signal.removeEventListener('abort', abort);
        resolve(undefined);
      });
      socket.once('connect', () => {
        clearTimeout(deadline);
        resolve(new Link(socket));
      });
    });
  }

  send(message: ClientMessage): void {
    writeJsonLine(this.#socket, message);
  }

  /** Receives the messages from now on, except pongs. */
  onMessage(listener: (message: ServerMessage) => void): void {
    this.#onMessage = listener;
  }

  onClose(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  /** Sends a request and returns the first answer, or undefined when the connection ends or stays silent. */
  request(message: ClientMessage): Promise<ServerMessage | undefined> {
    return this.#withDeadline((resolve) => {
      this.onMessage(resolve);
      this.send(message);
    });
  }

  /** The round trip in milliseconds, or undefined when no answer came. */
  ping(): Promise<number | undefined> {
    const id = this.#nextId++;
    const sentAt = performance.now();
    return this.#withDeadline((resolve) => {
      this.#pings.set(id, () => resolve(performance.now() - sentAt));
      this.send({ type: 'ping', id });
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(message: ServerMessage): void {
    if (message.type !== 'pong') return this.#onMessage(message);
    this.#pings.get(message.id)?.();
    this.#pings.delete(message.id);
  }

  #withDeadline<Value>(begin: (resolve: (value: Value) => void) => void): Promise<Value | undefined> {
    return new Promise((resolve) => {
      const finish = (value: Value | undefined): void => {
        clearTimeout(deadline);
        this.#socket.off('close', giveUp);
        resolve(value);
      };
      const giveUp = (): void => finish(undefined);
      const deadline = setTimeout(giveUp, ANSWER_DEADLINE_MS);
      this.#socket.once('close', giveUp);
      if (this.#socket.destroyed) return giveUp();
      begin(finish);
    });
  }
}
