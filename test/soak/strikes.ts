/** What a cycle of the soak does: one fault at a scene. What lasts (a full disk, a stalled line) is over when it resolves. */
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor, type SpawnedProcess } from '@berth/testing';
import type { FarScene } from '../faults/far-scene.ts';
import type { Random } from '../faults/simulation/random.ts';

export interface StrikeContext {
  scene: FarScene;
  random: Random;
  /** Called for each server and agent before another one takes its place. */
  onReplaced: (role: 'server' | 'agent', ended: SpawnedProcess) => void;
}

export interface StruckPlace {
  /** When the fault was done, or over; milliseconds since the epoch. */
  atMs: number;
  /** The one terminal that was struck; otherwise all. */
  terminalId?: string;
}

interface Strike {
  /** How often, beside the others. */
  weight: number;
  /** The process whose life it ends: its memory cannot be followed beyond. */
  ends?: 'server' | 'agent';
  /** True: only where the far host has a disk of its own. */
  needsDisk?: boolean;
  strike: (context: StrikeContext) => Promise<Omit<StruckPlace, 'atMs'> | void>;
}

const HOUR_MS = 3_600_000;

/** The postmaster's PID file outlives a kill: only a process that runs is struck, and one that has ended since is none. */
const signalPostgres = async ({ scene }: StrikeContext, signal: NodeJS.Signals): Promise<void> => {
  const strikeRunning = () => {
    const pid = scene.stack.postmasterPid();
    if (pid === undefined || !scene.stack.processes('PostgreSQL').some((one) => one.pid === pid)) return false;
    try {
      return process.kill(pid, signal);
    } catch {
      return false;
    }
  };
  await waitFor(strikeRunning, { what: 'a postmaster' });
};

const killTerminal = async ({ scene, random }: StrikeContext) => {
  const { pid, folder } = random.pick(
    await waitFor(() => {
      const running = scene.stack.processes('terminal');
      return running.length > 0 && running;
    }),
  );
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself since: a task may stop it.
  }
  const struck = scene.terminals.find(({ id }) => folder.includes(id));
  return struck && { terminalId: struck.id };
};

export const strikes = {
  'terminal killed': { weight: 30, strike: killTerminal },
  'agent killed': {
    weight: 20,
    ends: 'agent',
    strike: async ({ scene, onReplaced }) => {
      const ended = scene.host.agent;
      await scene.host.killAgent();
      onReplaced('agent', ended);
    },
  },
  'server killed': {
    weight: 6,
    ends: 'server',
    strike: async ({ scene: { stack }, onReplaced }) => {
      const ended = stack.server;
      ended.kill('SIGKILL');
      await ended.ended;
      await stack.restart();
      onReplaced('server', ended);
    },
  },
  'PostgreSQL killed': { weight: 4, strike: (context) => signalPostgres(context, 'SIGKILL') },
  'PostgreSQL stopped at once': { weight: 2, strike: (context) => signalPostgres(context, 'SIGQUIT') },
  'PostgreSQL restarted': { weight: 2, strike: (context) => signalPostgres(context, 'SIGINT') },
  'all connections cut': { weight: 12, strike: async ({ scene }) => scene.host.proxy.cutAll() },
  'answers cut short': {
    weight: 10,
    strike: async ({ scene: { host }, random }) => {
      host.proxy.cutAnswers(0.2 + 0.4 * random.next());
      await delay(random.int(200, 1_000));
      host.proxy.cutAnswers(0);
    },
  },
  'connections stalled': {
    weight: 4,
    strike: async ({ scene: { host }, random }) => {
      host.proxy.stall(true);
      await delay(random.int(200, 2_000));
      if (random.chance(0.5)) host.proxy.cutAll();
      host.proxy.stall(false);
    },
  },
  'agent frozen': {
    weight: 5,
    strike: async ({ scene: { host }, random }) => {
      host.agent.kill('SIGSTOP');
      await delay(random.int(100, 2_000));
      host.agent.kill('SIGCONT');
    },
  },
  'agent frozen past its leases': {
    weight: 1,
    strike: async ({ scene }) => {
      await scene.freezePastLeases().finally(() => scene.host.agent.kill('SIGCONT'));
    },
  },
  'disk full': {
    weight: 4,
    needsDisk: true,
    strike: async ({ scene: { host }, random }) => {
      host.fillDisk();
      await delay(random.int(100, 1_500));
      host.clearDisk();
    },
  },
  'clock of the host stepped': {
    weight: 6,
    strike: async ({ scene, random }) => scene.host.setClock(random.int(-30, 30) * HOUR_MS),
  },
} satisfies Record<string, Strike>;

export type StrikeKind = keyof typeof strikes;

/** The weights of all kinds that can be done, but those that end the life of a spared process. */
export const toWeights = (
  { host }: FarScene,
  spared: 'server' | 'agent' | undefined,
): Partial<Record<StrikeKind, number>> =>
  Object.fromEntries(
    Object.entries<Strike>(strikes)
      .filter(([, { ends }]) => ends === undefined || ends !== spared)
      .filter(([, { needsDisk }]) => !needsDisk || host.hasDisk)
      .map(([kind, { weight }]) => [kind, weight]),
  );

export const strikeOnce = async (kind: StrikeKind, context: StrikeContext): Promise<StruckPlace> => {
  const { strike }: Strike = strikes[kind];
  const startedAtMs = Date.now();
  const place = (await strike(context)) ?? {};
  // A kill counts from its beginning: that the harness waits for a new server is part of the recovery.
  return { atMs: kind.endsWith('killed') ? startedAtMs : Date.now(), ...place };
};
