import { setTimeout as delay } from 'node:timers/promises';
import { listStackProcesses } from '@berth/testing/bench';
import type { Figures, Goal } from '../goal.ts';
import { readResidentMb } from '../process-usage.ts';
import { createActive, startStack } from '../stack.ts';
import { toMedian, toQuantile } from '../statistics.ts';

const TERMINALS = 20;
const IDLE_MS = 20_000;

const toMemory = (dataDir: string, role: string, name: string): Figures => {
  const all = listStackProcesses(dataDir).filter((one) => one.role === role);
  return { [name]: toMedian(all.map(({ pid }) => readResidentMb(pid))) };
};

export const sandbox: Goal = {
  id: '8',
  title: 'Creation to ACTIVE on the sandbox, and (goal 9) resident memory when idle',
  measure: async (bench) => {
    const { dataDir, register, stop } = await startStack(bench);
    const wire = await register('bench');
    await delay(IDLE_MS);
    const idle = { ...toMemory(dataDir, 'server', 'server MB'), ...toMemory(dataDir, 'agent', 'agent MB (4 hosts)') };
    const took: number[] = [];
    for (let index = 0; index < TERMINALS; index += 1) took.push(await createActive(wire, index));
    await delay(IDLE_MS);
    const figures = {
      'create → ACTIVE, median ms': toMedian(took),
      'create → ACTIVE, slowest ms': toQuantile(took, 1),
      ...idle,
      ...toMemory(dataDir, 'terminal', 'sandbox terminal MB'),
      ...toMemory(dataDir, 'server', 'server MB after the work'),
      ...toMemory(dataDir, 'agent', 'agent MB after the work, 20 terminals'),
    };
    wire.close();
    await stop();
    return [figures];
  },
  judge: (medians) => {
    const most = (what: string, name: string, goal: number, moonshot: number) =>
      ({ what, value: medians[name] ?? NaN, goal, moonshot, direction: 'most' }) as const;
    return [
      most('create → ACTIVE, ms', 'create → ACTIVE, median ms', 250, 150),
      most('server, idle, MB', 'server MB', 100, 90),
      most('agent, idle, MB', 'agent MB (4 hosts)', 50, 45),
      most('sandbox terminal, idle, MB', 'sandbox terminal MB', 40, 35),
    ];
  },
};
