import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskType, TerminalStatus } from '@berth/contract';
import { createLogger, systemTiming } from '@berth/kit';
import { waitFor } from '@berth/testing/wait-for';
import { afterEach, beforeEach } from 'vitest';
import { startHostAgent, type HostAgent, type StopMode } from '../../src/host/agent.ts';
import type { PlatformRegistry } from '../../src/platforms/driver.ts';
import { ServerTransport } from '../../src/server/server-transport.ts';
import { JOIN_TOKEN, ProtocolServer } from './protocol-server.ts';
import { SleepTerminals } from './sleep-terminals.ts';
import { aTask, aTerminal } from './tasks.ts';

/** One host in this process with a folder of its own, its peer, and everything it wrote to its log. */
export class AgentUnderTest {
  readonly folder = mkdtempSync(join(tmpdir(), 'berth-agent-'));
  readonly terminals = new SleepTerminals(join(this.folder, 'terminals'));
  /** What its terminals are. */
  registry: PlatformRegistry = this.terminals;
  readonly server = new ProtocolServer();
  log = '';
  joinToken: string | undefined = JOIN_TOKEN;
  slots = 8;
  /** Where a test waits for pauses of the agent: how much of the usual ones it makes. */
  timePercent = 100;
  /** How long what runs may go on at the end. */
  drainMs = 10_000;
  #agent: HostAgent | undefined;
  #transport: ServerTransport | undefined;

  /** Starts the agent. Its `done` is handled here too, so that a test may look at it late. */
  start(): HostAgent {
    const transport = new ServerTransport({ serverUrl: this.server.url, version: 'test' });
    const agent = startHostAgent({
      name: 'test',
      folder: join(this.folder, 'host'),
      transport,
      registry: this.registry,
      findJoinToken: async () => this.joinToken,
      slots: this.slots,
      heartbeatMs: 200,
      sampleMs: 100,
      chartMs: 50,
      accountMs: 50,
      timePercent: this.timePercent,
      drainMs: this.drainMs,
      hosts: 1,
      version: 'test',
      timing: systemTiming,
      log: createLogger({ name: 'agent', level: 'debug', destination: { write: (line) => void (this.log += line) } }),
    });
    agent.done.catch(() => undefined);
    this.#agent = agent;
    this.#transport = transport;
    return agent;
  }

  async stop(mode: StopMode = 'detach'): Promise<void> {
    // The next one may start meanwhile.
    const transport = this.#transport;
    this.#agent?.stop(mode);
    await this.#agent?.done.catch(() => undefined);
    transport?.close();
  }

  /** The report of a task's end. */
  endOf(taskId: string) {
    return waitFor(() => this.server.ends(taskId)[0], { what: 'the end of a task' });
  }

  /** Installs a terminal, which the server wants from then on. */
  async install(terminal = aTerminal()) {
    const task = aTask(terminal, { type: TaskType.TERMINAL_INSTALL });
    this.server.deliver(task);
    await this.endOf(task.id);
    this.server.wanted = [...this.server.wanted, { ...terminal, status: TerminalStatus.ACTIVE }];
    return terminal;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.server.close();
    await this.terminals.killAll();
    rmSync(this.folder, { recursive: true });
  }
}

/** A host and its server for each test of a file. @param onCreated is called before the server can be reached */
export const useAgent = (onCreated: (host: AgentUnderTest) => unknown): void => {
  let host: AgentUnderTest;
  beforeEach(async () => {
    host = new AgentUnderTest();
    onCreated(host);
    await host.server.open();
  });
  afterEach(() => host.close());
};
