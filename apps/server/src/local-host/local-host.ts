/**
 * The hosts that come with a server, so that one command starts a working service: the sandbox trading server and one
 * agent that runs a sandbox host in each region, as child processes.
 *
 * What a child is given (the agent's main relies on it):
 * - Environment, trading server: BERTH_SANDBOX_DATA (folder), BERTH_SANDBOX_NETWORK (file).
 * - Environment, agent: BERTH_SERVER_URL, BERTH_AGENT_DIR (folder), BERTH_AGENT_HOSTS (JSON:
 *   [{"region":0,"name":"..."}]), BERTH_SANDBOX_NETWORK (file), BERTH_SANDBOX_DIST (the folder of the sandbox's
 *   programs).
 * - Join tokens are secrets and go over the IPC channel only: an environment can be read in /proc and is inherited by
 *   every terminal. The first message to the agent, at every start, is {"join_tokens":{"<host name>":"<token>"}}; a
 *   host that is enrolled already has no token in it (or one that it ignores). An agent with an IPC channel waits for
 *   it.
 * - The server's own BERTH_ variables (which hold its secrets) are not inherited, BERTH_LOG_LEVEL and
 *   BERTH_TIME_PERCENT excepted.
 * - A child whose IPC channel closes ("disconnect") has lost its server to a SIGKILL and ends by itself, without
 *   touching the terminals; the next agent takes them over. {"stop":"all"} asks the agent to stop the terminals
 *   cleanly and end. The server may be killed before the child listens for that event: it must look at
 *   `process.connected` once it does.
 * - Each child leads a process group of its own, so that Ctrl+C reaches only the server, which stops them in order.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  sleep,
  Supervisor,
  waitForEnd,
  type Environment,
  type Logger,
  type ProcessEnd,
  type SupervisedProcess,
} from '@berth/kit';

interface ChildOptions {
  name: string;
  /** Asks it to end; after `politeMs` it gets SIGTERM, and after another TERM_MS SIGKILL. */
  askToEnd: (child: ChildProcess) => void;
  politeMs: number;
  log: Logger;
}

const TERM_MS = 5_000;

/** A running part of the local host: asked to end in its own way, then by signals. */
const toSupervised = (child: ChildProcess, { name, askToEnd, politeMs, log }: ChildOptions): SupervisedProcess => {
  const ended = waitForEnd(child);
  const end = async (): Promise<void> => {
    askToEnd(child);
    if (await isWithin(ended, politeMs)) return;
    log.warn({ child: name, pid: child.pid }, 'a part of the local host does not end');
    child.kill('SIGTERM');
    if (await isWithin(ended, TERM_MS)) return;
    child.kill('SIGKILL');
    await ended;
  };
  return { pid: child.pid, ended, end };
};

const isWithin = async (ended: Promise<unknown>, waitMs: number): Promise<boolean> => {
  const timer = new AbortController();
  const result = await Promise.race([ended.then(() => true), sleep(waitMs, timer.signal).then(() => false)]);
  timer.abort();
  return result;
};

export interface LocalHostOptions {
  /** The server's data directory. */
  dataDir: string;
  /** How the agent reaches the server. */
  serverUrl: string;
  hosts: readonly { region: number; name: string }[];
  /** By host name, for the hosts that are not enrolled yet. */
  joinTokens: Readonly<Record<string, string>>;
  programs: LocalHostPrograms;
  /** The environment of the server; the children inherit it without its BERTH_ variables. */
  environment: Environment;
  log: Logger;
}

/** Absolute paths of what was built. */
export interface LocalHostPrograms {
  agent: string;
  tradingServer: string;
  /** The folder of the sandbox's programs. */
  sandboxDist: string;
}

interface ChildEnd extends ProcessEnd {
  name: string;
}

export interface LocalHost {
  /** Process ids, for the log and for tests; undefined while one is being restarted. */
  readonly agentPid: number | undefined;
  readonly tradingServerPid: number | undefined;
  /** Called each time a child ends by itself; it is restarted without the caller's help. */
  onExit(listener: (end: ChildEnd) => void): void;
  /** Stops the terminals, the agent and the trading server, in this order. */
  stop(): Promise<void>;
}

/** How long the agent may take to stop: it stops all terminals at once, each within a few seconds. */
const AGENT_POLITE_MS = 20_000;
const TRADING_SERVER_POLITE_MS = 3_000;

const BACKOFF = { baseMs: 200, maxMs: 10_000 };

/** Starts both children and returns at once; they become ready in their own time, and are restarted when they end. */
export const startLocalHost = (options: LocalHostOptions): LocalHost => {
  const { log } = options;
  const listeners: ((end: ChildEnd) => void)[] = [];
  const launchTradingServer = () =>
    toSupervised(spawnTradingServer(options), {
      name: 'trading server',
      askToEnd: (child) => void child.kill('SIGTERM'),
      politeMs: TRADING_SERVER_POLITE_MS,
      log,
    });
  const launchAgent = () =>
    toSupervised(spawnAgent(options), {
      name: 'agent',
      askToEnd: (child) => sendTo(child, { stop: 'all' }),
      politeMs: AGENT_POLITE_MS,
      log,
    });
  const keep = (name: string, launch: () => SupervisedProcess): Supervisor => {
    const supervisor = new Supervisor({
      launch,
      backoff: BACKOFF,
      onEnd: (end) => {
        log.error({ child: name, ...end }, 'a part of the local host ended by itself and is started again');
        for (const listener of listeners) listener({ name, ...end });
      },
      onLaunchFailed: (error) =>
        log.error({ child: name, err: error }, 'a part of the local host could not be started; trying again'),
    });
    supervisor.start();
    return supervisor;
  };
  const tradingServer = keep('trading server', launchTradingServer);
  const agent = keep('agent', launchAgent);
  return {
    get agentPid() {
      return agent.pid;
    },
    get tradingServerPid() {
      return tradingServer.pid;
    },
    onExit: (listener) => void listeners.push(listener),
    stop: async () => {
      const isAgentDown = agent.pid === undefined;
      try {
        await agent.stop();
        // Only an agent can stop terminals, so one that happens to be down is started for that.
        if (isAgentDown) await launchAgent().end();
      } finally {
        await tradingServer.stop();
      }
    },
  };
};

const spawnTradingServer = ({ dataDir, programs, environment, log }: LocalHostOptions): ChildProcess => {
  const sandboxDir = join(dataDir, 'sandbox');
  mkdirSync(sandboxDir, { recursive: true, mode: 0o700 });
  const child = spawnNode(programs.tradingServer, {
    ...toInherited(environment),
    BERTH_SANDBOX_DATA: sandboxDir,
    BERTH_SANDBOX_NETWORK: join(sandboxDir, 'network'),
  });
  child.on('message', (message) => {
    if (isReady(message)) log.info({ address: message.address }, 'the sandbox trading server is ready');
  });
  return child;
};

const spawnAgent = (options: LocalHostOptions): ChildProcess => {
  const { dataDir, serverUrl, hosts, joinTokens, programs, environment } = options;
  const agentDir = join(dataDir, 'agent');
  mkdirSync(agentDir, { recursive: true, mode: 0o700 });
  const child = spawnNode(programs.agent, {
    ...toInherited(environment),
    BERTH_SERVER_URL: serverUrl,
    BERTH_AGENT_DIR: agentDir,
    BERTH_AGENT_HOSTS: JSON.stringify(hosts.map(({ region, name }) => ({ region, name }))),
    BERTH_SANDBOX_NETWORK: join(dataDir, 'sandbox', 'network'),
    BERTH_SANDBOX_DIST: programs.sandboxDist,
  });
  sendTo(child, { join_tokens: joinTokens });
  return child;
};

const spawnNode = (program: string, env: Environment): ChildProcess => {
  const child = spawn(process.execPath, [program], {
    detached: true,
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  // The supervisor sees every end; a failed send or kill of a process that just ended adds nothing.
  child.on('error', () => undefined);
  return child;
};

const sendTo = (child: ChildProcess, message: object): void => {
  if (child.connected) child.send(message, () => undefined);
};

/** Neither is a secret, and the children must use the server's values. */
const INHERITED = ['BERTH_LOG_LEVEL', 'BERTH_TIME_PERCENT'];

const toInherited = (environment: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('BERTH_') || INHERITED.includes(name)),
  );

const isReady = (message: unknown): message is { address: unknown } =>
  typeof message === 'object' && message !== null && 'ready' in message && 'address' in message;
