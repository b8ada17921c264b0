/**
 * The surroundings of a box that attacks: servers of the host that disclose a secret, and the control groups of boxes.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { findControlGroups, type ControlGroup } from '@berth/testing/isolation';

type Limits = Parameters<ControlGroup['ensure']>[0];

export class BoxSurroundings {
  /** What no box may get to see. */
  readonly canary = `canary-${process.pid}-${Math.random().toString(36).slice(2)}`;
  readonly #servers: Server[] = [];
  readonly #groups: ControlGroup[] = [];

  /** A server that discloses the secret to everybody. @returns its port */
  async listen(host: string): Promise<number> {
    const server = createServer((socket) => socket.on('error', () => undefined).end(this.canary));
    this.#servers.push(server.listen(0, host));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async openGroup(name: string, limits: Limits): Promise<ControlGroup> {
    const group = (await findControlGroups()).open(`berth-test-${process.pid}-${name}`);
    await group.ensure(limits);
    this.#groups.push(group);
    return group;
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.close();
    for (const group of this.#groups) await group.remove();
  }
}
