/** A TCP proxy that breaks what passes through it, or answers in the server's place. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface CuttingProxyOptions {
  /** Where to: read for each connection, since a server may come back elsewhere. */
  toTarget: () => string;
  /** Uniform in [0, 1). */
  random?: () => number;
}

export class CuttingProxy {
  readonly #toTarget: () => string;
  readonly #random: () => number;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #cutChance = 0;
  #isStalled = false;
  #stranger: { paths: readonly string[]; answer: string } | undefined;
  #strangers = 0;
  #cuts = 0;

  constructor({ toTarget, random = Math.random }: CuttingProxyOptions) {
    this.#toTarget = toTarget;
    this.#random = random;
    this.#server = createServer((client) => this.#join(client));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How many connections were cut so far. */
  get cuts(): number {
    return this.#cuts;
  }

  /** How many requests were answered in the server's place so far. */
  get strangers(): number {
    return this.#strangers;
  }

  /** From now on, requests of these paths never reach the server: this is their answer. Without one, they do again. */
  answerInPlace(paths: readonly string[], answer?: string): void {
    this.#stranger = answer === undefined ? undefined : { paths, answer };
  }

  /** From now on, each part of an answer is cut short with this chance, and its connection broken: the request was carried out. */
  cutAnswers(chance: number): void {
    this.#cutChance = chance;
  }

  /** Breaks every connection at once. */
  cutAll(): void {
    for (const pair of this.#pairs) this.#cut(pair);
  }

  /** True: connections stay open, and nothing passes any more, as when a firewall forgot them. */
  stall(isStalled: boolean): void {
    this.#isStalled = isStalled;
    for (const sockets of this.#pairs) for (const socket of sockets) this.#hold(socket);
  }

  async close(): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #hold(socket: Socket): void {
    if (this.#isStalled) socket.pause();
    else socket.resume();
  }

  #join(client: Socket): void {
    const { hostname, port } = new URL(this.#toTarget());
    const server = connect(Number(port), hostname);
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    let isStranger = false;
    client.on('data', (chunk) => {
      isStranger ||= this.#answersInPlace(client, chunk);
      if (!isStranger) server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (this.#random() >= this.#cutChance) return void client.write(chunk);
      client.write(chunk.subarray(0, Math.floor(this.#random() * chunk.length)), () => this.#cut(pair));
    });
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => this.#end(pair));
      this.#hold(socket);
    }
  }

  /** An agent writes a request at once, so that a part of a connection that begins one begins with its path. */
  #answersInPlace(client: Socket, chunk: Buffer): boolean {
    if (!this.#stranger) return false;
    const path = /^[A-Z]+ (\S+) HTTP/.exec(chunk.subarray(0, 500).toString('latin1'))?.[1];
    if (path === undefined || !this.#stranger.paths.includes(path)) return false;
    this.#strangers += 1;
    client.end(this.#stranger.answer);
    return true;
  }

  #cut(pair: readonly [Socket, Socket]): void {
    if (!this.#pairs.has(pair)) return;
    this.#cuts += 1;
    this.#end(pair);
  }

  #end(pair: readonly [Socket, Socket]): void {
    if (!this.#pairs.delete(pair)) return;
    for (const socket of pair) socket.destroy();
  }
}
