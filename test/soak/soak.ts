/**
 * The soak: one instance, faults in a seeded order while tasks go on, and after every few faults the verdict. A third of it
 * spares the server and another one the agent, so that the memory of a process that lives long can be followed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { FarScene } from '../faults/far-scene.ts';
import { startLoad } from '../faults/load.ts';
import { Random } from '../faults/simulation/random.ts';
import { expectNothingLost, waitUntilSettled } from '../faults/verdict.ts';
import { measureDiskMib, sampleFootprints, type Footprint, type FollowedRole } from './footprint.ts';
import { destroyTerminals, expectNoPasswords, expectOneOfEach, listKept } from './leftovers.ts';
import { measureRecoveries, type StruckAt } from './recovery.ts';
import type { RunLog } from './run-log.ts';
import { strikeOnce, toWeights, type StrikeKind } from './strikes.ts';
import { readTaskFigures, type TaskFigures } from './task-figures.ts';

export interface SoakOptions {
  seed: number;
  /** 0 at the beginning, 1 when it is time to end. @param cycles done so far */
  toProgress: (cycles: number) => number;
  log: RunLog;
  /** Ends the run early, with the verdict. */
  signal: AbortSignal;
}

export interface SoakRecord {
  cycles: number;
  rounds: number;
  faults: Partial<Record<StrikeKind, number>>;
  recoveries: Partial<Record<StrikeKind, number[]>>;
  /** Agents that ended by themselves: they start again and again while the disk is full. */
  agentFalls: number;
  accepted: { id: string }[];
  footprints: Record<FollowedRole, Footprint[]>;
  diskMib: number[];
  tasks?: TaskFigures;
  /** Files and processes that are left when every terminal was destroyed. */
  left: string[];
}

const TERMINALS = 6;
const CYCLES_PER_ROUND = 25;
/** Of each of eight clients: about as many tasks as six terminals on a small machine carry out beside the faults. */
const PAUSE_MS = 2_000;
/** Between two faults; often they come before the last one is recovered from. */
const CALM_MS = { min: 20, max: 500 };
/** After the last fault of a round tasks go on for so long, so that its recovery can be seen. */
const AFTERMATH_MS = 1_000;
/** A delivery that is not started by then was lost; its lease is aged instead of waited for. */
const LOST_DELIVERY_SECONDS = 3;

export const createRecord = (): SoakRecord => ({
  cycles: 0,
  rounds: 0,
  faults: {},
  recoveries: {},
  agentFalls: 0,
  accepted: [],
  footprints: { server: [], agent: [], 'trading server': [] },
  diskMib: [],
  left: [],
});

const findSpared = (progress: number): 'server' | 'agent' | undefined => {
  if (progress < 0.3) return undefined;
  return progress < 0.65 ? 'server' : 'agent';
};

const settle = async (scene: FarScene): Promise<void> => {
  const settled = new AbortController();
  const age = async () => {
    while (!settled.signal.aborted) {
      // PostgreSQL may be on its way back.
      await scene.ageUnstarted(LOST_DELIVERY_SECONDS).catch(() => undefined);
      await delay(1_000, undefined, { signal: settled.signal }).catch(() => undefined);
    }
  };
  const aging = age();
  await waitUntilSettled(scene.stack).finally(() => settled.abort());
  await aging;
};

/** Carries the faults of one round out while tasks are posted, then waits until all is well and judges. */
const runRound = async (scene: FarScene, random: Random, options: SoakOptions, record: SoakRecord): Promise<void> => {
  const { log, signal } = options;
  const since = new Date();
  const load = startLoad(scene.stack, scene.user.token, scene.terminals, { pauseMs: PAUSE_MS });
  const struck: StruckAt[] = [];
  const spared = findSpared(options.toProgress(record.cycles));
  const isOver = () => signal.aborted || options.toProgress(record.cycles) >= 1;
  try {
    for (let cycle = 0; cycle < CYCLES_PER_ROUND && !isOver(); cycle += 1) {
      const kind = random.weighted<StrikeKind>(toWeights(scene, spared));
      log.note(kind);
      const place = await strikeOnce(kind, { scene, random, onReplaced: (role, ended) => log.keepOutput(role, ended) });
      struck.push({ kind, ...place });
      record.faults[kind] = (record.faults[kind] ?? 0) + 1;
      record.cycles += 1;
      await delay(random.int(CALM_MS.min, CALM_MS.max));
    }
    await delay(AFTERMATH_MS);
  } finally {
    load.stop();
  }
  await load.done;
  log.note('settling');
  record.accepted.push(...load.accepted.map(({ id }) => ({ id })));
  await settle(scene);
  log.note('settled');
  await expectNothingLost(scene.stack, load.accepted, since);
  await expectOneOfEach(scene);
  await expectNoPasswords(scene);
  for (const [kind, ms] of await measureRecoveries(scene, struck, since)) (record.recoveries[kind] ??= []).push(ms);
  const footprints = sampleFootprints(scene, record.cycles);
  for (const [role, footprint] of Object.entries(footprints)) record.footprints[role as FollowedRole].push(footprint);
  const diskMib = measureDiskMib(scene);
  if (diskMib !== undefined) record.diskMib.push(diskMib);
  for (const fallen of scene.host.fallen.splice(0)) {
    log.keepOutput('agent', fallen);
    record.agentFalls += 1;
  }
  record.rounds += 1;
};

const toProgressLine = (record: SoakRecord, startedAt: number): string => {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const memory = Object.entries(record.footprints).map(([role, all]) => `${role} ${all.at(-1)?.rssMib.toFixed(0)} MiB`);
  return `${seconds} s, ${record.cycles} cycles, ${record.accepted.length} tasks accepted; ${memory.join(', ')}`;
};

/** What the database knew when the run failed. */
const keepEvidence = async (scene: FarScene, log: RunLog): Promise<void> => {
  log.keepOutput('server', scene.stack.server);
  log.keepOutput('agent', scene.host.agent);
  log.keepOutput('trading-server', scene.tradingServer);
  for (const [name, text] of Object.entries({
    tasks: 'select id, terminal_id, type, status, attempts, result, created_at from tasks order by seq desc limit 500',
    history: 'select * from (select * from task_history order by id desc limit 5000) h order by task_id, id',
    leases: 'select * from task_leases',
    terminals: 'select id, status, status_reason, deleted_at from terminals',
  })) {
    log.keep(`${name}.json`, await scene.query(text).catch((error: unknown) => String(error)));
  }
};

/** Runs until the progress is 1. Fills the record as it goes, so that a failed run has figures too. */
export const runSoak = async (options: SoakOptions, record: SoakRecord): Promise<void> => {
  const { seed, log, signal } = options;
  const random = new Random(seed);
  const cuts = new Random(seed + 1);
  const startedAt = performance.now();
  const scene = await FarScene.start({ terminals: TERMINALS, random: cuts.next });
  const keptAtStart = listKept(scene);
  try {
    while (options.toProgress(record.cycles) < 1 && !signal.aborted) {
      await runRound(scene, random, options, record);
      log.print(toProgressLine(record, startedAt));
    }
    scene.host.setClock(0);
    await expectNothingLost(scene.stack, record.accepted);
    record.tasks = await readTaskFigures(scene);
    record.left = await destroyTerminals(scene, keptAtStart);
  } catch (error) {
    await keepEvidence(scene, log).catch((fault: unknown) => log.note(`no evidence: ${String(fault)}`));
    await scene.stop().catch((fault: unknown) => log.note(`the end failed too: ${String(fault)}`));
    throw error;
  }
  log.keepOutput('server', scene.stack.server);
  log.keepOutput('agent', scene.host.agent);
  await scene.stop();
};
