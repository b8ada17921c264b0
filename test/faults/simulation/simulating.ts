/** The simulation as the suite runs it: as a program of its own, the one behind script/simulate (docs/simulation.md). */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Figures } from './figures.ts';

export const TIMEOUT_MS = 3_600_000;
/** All planted defects are found within a tenth of it: docs/simulation.md. */
const MAX_UNTIL_CAUGHT = 600;

const toPath = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export const buildSimulation = (): void => {
  expect(spawnSync(process.execPath, [toPath('build.mjs')], { stdio: 'inherit' }).status).toBe(0);
};

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

/** @param from the first seed @returns what happened in them */
export const expectInvariants = async (schedules: number, from = 1): Promise<Figures> => {
  const figures = await simulateMany('--schedules', String(schedules), '--from', String(from));
  const replays = figures.violations.map(({ seed, text }) => `script/simulate --seed ${seed} shows: ${text}`);
  expect(replays).toEqual([]);
  expect(figures.schedules).toBe(schedules);
  expect(figures.steps).toBeGreaterThanOrEqual(200 * schedules);
  return figures;
};

/** Holds two runs of a seed against each other, event by event. */
export const expectSameTwice = async (seed: number): Promise<void> => {
  const [once, again] = [await simulate('--seed', String(seed)), await simulate('--seed', String(seed))];
  expect(once.split('\n').length).toBeGreaterThan(100);
  expect(again).toBe(once);
};

export const expectFound = async (mutation: string): Promise<void> => {
  const options = ['--mutation', mutation, '--brief', '--workers', '1', '--schedules', String(MAX_UNTIL_CAUGHT)];
  expect((await simulateMany(...options)).violations).not.toEqual([]);
};
