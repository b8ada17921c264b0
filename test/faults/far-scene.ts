/** A whole instance that can be made to misbehave: a server with its own PostgreSQL, one far host, a broker, terminals in use. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { HostStatus, TaskStatus } from '@berth/contract';
import {
  logInOperator,
  startTestStack,
  startTestTradingServer,
  waitFor,
  type SpawnedProcess,
  type TestStack,
} from '@berth/testing';
import { TerminalUser } from '../e2e/terminal-user.ts';
import { FarHost } from './far-host.ts';
import type { LoadTerminal } from './load.ts';

export interface FarSceneOptions {
  terminals: number;
  /** Of the times of the instance. */
  timePercent?: number;
  /** Of the proxy between the host and the server. */
  random?: () => number;
}

export class FarScene {
  readonly stack: TestStack;
  readonly tradingServer: SpawnedProcess;
  readonly host: FarHost;
  readonly user: TerminalUser;
  readonly terminals: readonly LoadTerminal[];

  private constructor(parts: Pick<FarScene, 'stack' | 'tradingServer' | 'host' | 'user' | 'terminals'>) {
    this.stack = parts.stack;
    this.tradingServer = parts.tradingServer;
    this.host = parts.host;
    this.user = parts.user;
    this.terminals = parts.terminals;
  }

  /** Resolves when every terminal is ACTIVE. What was started before a failure is ended by `endProcesses`. */
  static async start({ terminals: count, timePercent = 100, random }: FarSceneOptions): Promise<FarScene> {
    const environment = { BERTH_DEFAULT_PLATFORM: 'sandbox', BERTH_TIME_PERCENT: String(timePercent) };
    const stack = await startTestStack({ isEmbedded: true, hasLocalHosts: false, environment });
    const broker = join(stack.dataDir, 'sandbox');
    mkdirSync(broker);
    const networkFile = join(broker, 'network');
    const tradingServer = startTestTradingServer(broker, networkFile);
    const { operator } = (await logInOperator(stack)).berth;
    const settings = { region: 0, networkFile, timePercent, ...(random ? { random } : {}) };
    const host = await FarHost.start({ stack, operator, ...settings }, 0);
    const user = new TerminalUser(stack.url, (await stack.register('Far away')).token);
    const create = (number: number) =>
      user.createTerminal({
        server_name: 'Harbour-Demo',
        login: String(5000 + number),
        password: `pass-${5000 + number}`,
        region: 0,
      });
    const terminals = await Promise.all(Array.from({ length: count }, (_, number) => create(number)));
    await Promise.all(terminals.map(({ id }) => user.waitForStatus(id, 'ACTIVE')));
    return new FarScene({ stack, tradingServer, host, user, terminals });
  }

  async query<Row extends object = { count: number }>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.stack.query<Row>(text, values);
  }

  async countTasks(condition: string): Promise<number> {
    return (await this.query(`select count(*)::int as count from tasks where ${condition}`))[0]!.count;
  }

  /** As if this long had passed for leases, without waiting for it. */
  async ageLeases(seconds: number, condition = 'true'): Promise<void> {
    await this.query(
      `update task_leases set expires_at = expires_at - interval '${seconds} seconds' where ${condition}`,
    );
  }

  /** A delivery whose answer was lost is repeated when its lease has lapsed, which takes 30 s. @param seconds since it was made */
  async ageUnstarted(seconds = 0): Promise<void> {
    const isOld = `state_since <= now() - interval '${seconds} seconds'`;
    await this.ageLeases(30, `task_id in (select id from tasks where status = ${TaskStatus.DELIVERED} and ${isOld})`);
  }

  /** As if the host had been silent for longer: 20 s make it lost. */
  async ageHost(seconds: number): Promise<void> {
    await this.query(`update hosts set last_seen_at = last_seen_at - interval '${seconds} seconds'`);
  }

  async isHostLost(): Promise<boolean> {
    return (
      (await this.query(`select count(*)::int as count from hosts where status = ${HostStatus.LOST}`))[0]!.count === 1
    );
  }

  /** Freezes the agent until the server has given up on it and its running tasks. The caller thaws it. */
  async freezePastLeases(): Promise<void> {
    this.host.agent.kill('SIGSTOP');
    const isGivenUp = async () => {
      await this.ageLeases(10);
      await this.ageHost(10);
      return (
        (await this.isHostLost()) &&
        (await this.countTasks(`status in (${TaskStatus.DELIVERED}, ${TaskStatus.RUNNING})`)) === 0
      );
    };
    // PostgreSQL may be on its way back.
    await waitFor(() => isGivenUp().catch(() => false), { what: 'an end of the leases' });
  }

  /** Lets nothing pass until the host is given up. Who called cuts the connections and lets pass again. */
  async stallUntilLost(): Promise<void> {
    this.host.proxy.stall(true);
    const isLost = async () => {
      await this.ageHost(10);
      return this.isHostLost();
    };
    await waitFor(isLost, { what: 'the loss of the host' });
  }

  /** Stops everything and removes it. Rejects when a process was left behind. */
  async stop(): Promise<void> {
    await this.host.stop();
    this.tradingServer.kill('SIGTERM');
    await this.tradingServer.ended;
    await this.stack.close();
  }
}
