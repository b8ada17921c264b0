/** A TCP proxy that breaks what passes through it. */
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
    client.on('data', (chunk) => void server.write(chunk));
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

  #cut(pair: readonly [Socket, Socket]): void {
    if (!this.#pairs.has(pair)) return;
    this.#cuts += 1;
    this.#end(pair);
  }

  #end(pair: readonly [Socket, Socket]): void {
    this.#pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  }
}
