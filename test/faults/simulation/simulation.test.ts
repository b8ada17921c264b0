/**
 * The simulation in the suite: schedules full of faults hold every invariant, a seed says the same twice, and defects that are
 * planted are found. It runs as a program of its own, the one behind script/simulate: docs/simulation.md.
 */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { taskMoves } from '@berth/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { faults } from './faults.ts';
import type { Figures } from './figures.ts';
import { mutations } from './mutations.ts';

/** Some twenty seconds of two cores; script/simulate runs as many as one likes. */
const SCHEDULES = Number(process.env.BERTH_SIMULATION_SCHEDULES ?? 600);
/** All of them are found within a tenth of it: docs/simulation.md. */
const MAX_UNTIL_CAUGHT = 600;
const TIMEOUT_MS = 3_600_000;

/** What the weather, a fault, or the programs' answer to one leads to, beside the faults that are injected. */
const happenings = [
  ...[
    'lost request',
    'lost answer',
    'reset connection',
    'doubled message',
    'late message',
    'half-open connection',
    'foreign answer',
  ],
  ...['slow statement, before its effect', 'slow statement, after its effect'],
  ...['broken statement, before its effect', 'broken statement, after its effect'],
  ...['broken transaction, half way', 'lost wake-up', 'superseded agent', 'host declared lost', 'lost host back'],
  'delivery handed out again',
  ...['task handed over at its creation', 'hand-over whose outcome is unknown'],
  'all hosts away for over an hour',
];

const toPath = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Runs the program. @returns what it printed */
const simulate = async (...options: string[]): Promise<string> => {
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', toPath('../../../.build/simulation/main.js'), ...options],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  child.stdout.setEncoding('utf8');
  let text = '';
  for await (const part of child.stdout) text += part as string;
  return text;
};

const simulateMany = async (...options: string[]): Promise<Figures> =>
  JSON.parse(await simulate('--json', ...options)) as Figures;

beforeAll(() => {
  expect(spawnSync(process.execPath, [toPath('build.mjs')], { stdio: 'inherit' }).status).toBe(0);
});

describe('the simulation', () => {
  it(
    `holds every invariant through ${SCHEDULES} schedules, with every fault and every legal move in them`,
    { timeout: TIMEOUT_MS },
    async () => {
      const figures = await simulateMany('--schedules', String(SCHEDULES));
      const replays = figures.violations.map(({ seed, text }) => `script/simulate --seed ${seed} shows: ${text}`);
      expect(replays).toEqual([]);
      expect(figures.schedules).toBe(SCHEDULES);
      expect(figures.steps).toBeGreaterThanOrEqual(200 * SCHEDULES);
      expect(Object.keys(figures.faults).sort()).toEqual([...Object.keys(faults), ...happenings].sort());
      expect(Object.keys(figures.moves).sort()).toEqual(taskMoves.map(([from, to]) => `${from}>${to}`).sort());
    },
  );

  it('says the same of a seed every time', { timeout: TIMEOUT_MS }, async () => {
    for (const seed of ['7', '200']) {
      const [once, again] = [await simulate('--seed', seed), await simulate('--seed', seed)];
      expect(once.split('\n').length).toBeGreaterThan(100);
      expect(again).toBe(once);
    }
  });

  it.each(Object.keys(mutations))('finds a planted defect: %s', { timeout: TIMEOUT_MS }, async (mutation) => {
    const options = ['--mutation', mutation, '--brief', '--workers', '1', '--schedules', String(MAX_UNTIL_CAUGHT)];
    expect((await simulateMany(...options)).violations).not.toEqual([]);
  });
});
