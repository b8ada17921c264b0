/** What goes wrong in a world: one function per kind of fault. Each fault ends by itself after a while. */
import { calm, stormy, windy, type Weather } from './weather.ts';
import type { VirtualMachine } from './world/virtual-agent.ts';
import type { World } from './world/world.ts';

const HOUR_MS = 3_600_000;
const AWAY_MS = HOUR_MS + 300_000;
const DAY_MS = 24 * HOUR_MS;
/** Shorter and longer than the milliseconds that fit into 31 bits (24.86 days), and a long winter. */
const OFF_DAYS = [1, 24, 26, 60, 400];
const MAX_TWINS = 1;

type Fault = (world: World) => void;

const pickMachine = ({ random, machines }: World): VirtualMachine => random.pick(machines);

const startLater = (world: World, machine: VirtualMachine, maxMs: number): void => {
  world.time.after(world.random.skewed(100, maxMs), () => {
    if (world.machines.includes(machine)) world.keepRunning(machine);
  });
};

/** Puts a state of the machine's disk in force for a while. */
const breakDisk = (world: World, name: 'isFull' | 'refusesSync' | 'refusesTruncate', alsoFull = false): void => {
  const { disk } = pickMachine(world);
  disk[name] = true;
  if (alsoFull) disk.isFull = true;
  world.time.after(world.random.int(500, 45_000), () => disk.mend(), true);
};

/** Mostly both ways of the same length, so that clocks do not wander off over a long world. */
const toClockStep = ({ random }: World): number => random.pick([HOUR_MS, -HOUR_MS]);

/** Somebody copies a host's folder to a second machine and starts its agent there too. */
const startTwin = (world: World): void => {
  const original = pickMachine(world);
  const twins = world.machines.filter(({ hostId }) => hostId === original.hostId).length - 1;
  if (twins >= MAX_TWINS) return;
  const installed = new Map([...original.installed].map(([id, state]) => [id, { ...state }]));
  const twin = world.addMachine(original.hostId, original.disk.copy(), installed);
  world.keepRunning(twin);
  world.time.after(world.random.int(2_000, 60_000), () => endTwins(world, original.hostId), true);
};

/** The operator notices, and permanently stops one of the two: either one. */
export const endTwins = (world: World, hostId: string): void => {
  const twins = world.machines.filter((machine) => machine.hostId === hostId);
  if (twins.length > 1) world.removeMachine(world.random.pick(twins));
};

/** Everything is switched off for days or months: no process, no message, no user. */
const switchOff = (world: World): void => {
  const { servers, machines, random, time } = world;
  for (const server of [...servers]) {
    world.killServer(server);
    time.after(random.skewed(200, 40_000), () => void world.startServer(), true);
  }
  for (const machine of machines) {
    machine.losePower();
    startLater(world, machine, 60_000);
  }
  time.skip(random.pick(OFF_DAYS) * DAY_MS);
};

const changeWeather = (world: World, weather: Weather): void => {
  world.weather = weather;
  world.time.after(world.random.int(2_000, 25_000), () => (world.weather = world.usualWeather), true);
};

export const faults: Record<string, { weight: number; inject: Fault }> = {
  'agent killed': {
    weight: 10,
    inject: (world) => {
      const machine = pickMachine(world);
      machine.kill();
      startLater(world, machine, 25_000);
    },
  },
  'power lost': {
    weight: 10,
    inject: (world) => {
      const machine = pickMachine(world);
      machine.losePower();
      startLater(world, machine, 60_000);
    },
  },
  'agent stopped': { weight: 4, inject: (world) => pickMachine(world).stop() },
  'agent paused': {
    weight: 4,
    inject: (world) => {
      const { process } = pickMachine(world);
      process?.pause();
      world.time.after(world.random.int(1_000, 80_000), () => process?.resume(), true);
    },
  },
  'journal damaged': {
    weight: 2,
    inject: (world) => {
      const machine = pickMachine(world);
      machine.losePower();
      machine.disk.damage();
      startLater(world, machine, 5_000);
    },
  },
  'disk full': { weight: 3, inject: (world) => breakDisk(world, 'isFull') },
  'disk refuses to sync': { weight: 2, inject: (world) => breakDisk(world, 'refusesSync') },
  'disk full and refuses to truncate': { weight: 1, inject: (world) => breakDisk(world, 'refusesTruncate', true) },
  'slow disk': {
    weight: 3,
    inject: (world) => {
      const { disk } = pickMachine(world);
      disk.slowSyncs = 0.5;
      world.time.after(world.random.int(5_000, 40_000), () => (disk.slowSyncs = 0), true);
    },
  },
  'host cut off': {
    weight: 8,
    inject: (world) => {
      pickMachine(world).cutOffUntilMs = world.time.nowMs + world.random.skewed(1_000, 90_000);
    },
  },
  'host behind a portal': {
    weight: 6,
    inject: (world) => {
      pickMachine(world).answeredByOthersUntilMs = world.time.nowMs + world.random.skewed(1_000, 60_000);
    },
  },
  'two agents with one identity': { weight: 3, inject: startTwin },
  'server killed': {
    weight: 8,
    inject: (world) => {
      if (world.servers.length === 0) return;
      world.killServer(world.random.pick(world.servers));
      world.time.after(world.random.skewed(200, 40_000), () => void world.startServer(), true);
    },
  },
  'server paused': {
    weight: 3,
    inject: (world) => {
      if (world.servers.length === 0) return;
      const { process } = world.random.pick(world.servers);
      process.pause();
      world.time.after(world.random.int(1_000, 40_000), () => process.resume(), true);
    },
  },
  'everything off for days or months': { weight: 1.5, inject: switchOff },
  'database away': {
    weight: 3,
    inject: (world) => {
      world.isDatabaseAway = true;
      world.time.after(world.random.skewed(200, 20_000), () => (world.isDatabaseAway = false), true);
    },
  },
  'clock of a host set by an hour': {
    weight: 3,
    inject: (world) => {
      pickMachine(world).clock.offsetMs += toClockStep(world);
    },
  },
  'clock of a server set by an hour': {
    weight: 3,
    inject: (world) => {
      if (world.servers.length > 0) world.random.pick(world.servers).clock.offsetMs += toClockStep(world);
    },
  },
  'clock of the database set by an hour': {
    weight: 1.5,
    inject: (world) => {
      world.databaseOffsetMs += toClockStep(world);
      world.latestOffsetMs = Math.max(world.latestOffsetMs, world.databaseOffsetMs);
    },
  },
  storm: { weight: 6, inject: (world) => changeWeather(world, stormy) },
  'deaf servers': { weight: 3, inject: (world) => changeWeather(world, { ...calm, unheard: 1 }) },
};

const weights = Object.fromEntries(Object.entries(faults).map(([name, { weight }]) => [name, weight]));

export const injectFault = (world: World): void => {
  const name = world.random.weighted(weights);
  world.count(name);
  faults[name]!.inject(world);
};

/**
 * Every host is away for longer than a task may wait in a queue.
 * @returns for how long
 */
export const keepHostsAway = (world: World): number => {
  world.count('all hosts away for over an hour');
  for (const server of world.servers.slice(1)) world.killServer(server);
  for (const machine of world.machines) {
    machine.isDown = true;
    machine.kill();
    world.time.after(AWAY_MS, () => {
      machine.isDown = false;
      world.keepRunning(machine);
    });
  }
  return AWAY_MS;
};

export const pickWeather = ({ random }: World): Weather => random.pick([calm, windy, windy]);

/** Nothing goes wrong any more, and everything that is down comes up. */
export const endFaults = (world: World): void => {
  world.weather = world.usualWeather = calm;
  world.isDatabaseAway = false;
  world.isRestless = false;
  // A task that was planned on the later time would wait for its hour, rightly.
  world.databaseOffsetMs = world.latestOffsetMs;
  for (const { hostId } of [...world.machines]) endTwins(world, hostId);
  for (const machine of world.machines) {
    machine.cutOffUntilMs = machine.answeredByOthersUntilMs = 0;
    machine.disk.mend();
    machine.process?.resume();
  }
  for (const { process } of world.servers) process.resume();
};
