/**
 * Compares what the ended tasks say about a terminal's EAs with its disk. An attempt that was carried out twice leaves
 * a second chart, one that was given up and went on in secret leaves another program than the last task promised.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TaskStatus, TaskType } from '@berth/contract';
import { expect } from 'vitest';
import { LOAD_EXPERTS } from './load.ts';

/** A task that has ended. */
export interface ExpertTask {
  id: string;
  type: TaskType;
  status: TaskStatus;
  payload: { name?: string; file_id?: string };
  result: { runner_result: { data: { sha256?: string | null } }[] } | null;
}

/** Hash of the program that a chart runs; null = neither a chart nor, where the last task deleted it, a program. */
type Installed = string | null;

const experts: readonly TaskType[] = [TaskType.EA_INSTALL, TaskType.EA_UPDATE, TaskType.EA_REMOVE];

/** A text file of the terminal, which writes UTF-16. */
const readText = (path: string): string => {
  const bytes = readFileSync(path);
  return bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.toString('utf16le', 2) : bytes.toString('utf8');
};

/** Names of the experts on the charts that the terminal opens, one for each chart that has one. */
const listExpertCharts = (root: string): string[] => {
  const folder = join(root, 'MQL5', 'Profiles', 'Charts', 'Default');
  if (!existsSync(join(folder, 'order.wnd'))) return [];
  const files = readText(join(folder, 'order.wnd')).split(/[\r\n]+/);
  return files
    .filter((file) => file !== '' && existsSync(join(folder, file)))
    .flatMap((file) => /<expert>\s*name=([^\r\n]+)/.exec(readText(join(folder, file)))?.[1] ?? []);
};

const findProgram = (root: string, name: string): Installed => {
  const file = join(root, 'MQL5', 'Experts', `${name}.ex5`);
  return existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : null;
};

/** Where the tasks of one expert lead to, in their order: one state after a success, several where the end is not known. */
const replay = (tasks: readonly ExpertTask[], uploads: ReadonlyMap<string, string>): Set<Installed> => {
  let possible = new Set<Installed>([null, ...uploads.values()]);
  for (const { id, type, status, payload, result } of tasks) {
    if (status === TaskStatus.CANCELED) continue;
    const wanted = type === TaskType.EA_REMOVE ? null : (uploads.get(payload.file_id ?? '') ?? null);
    if (status !== TaskStatus.COMPLETED) {
      possible.add(wanted);
      continue;
    }
    possible = new Set([wanted]);
    if (type === TaskType.EA_REMOVE) continue;
    expect(result?.runner_result.at(-1)?.data.sha256, `the program that ${id} installed`).toBe(wanted);
  }
  return possible;
};

/**
 * Holds the disk of a terminal to its ended tasks: one chart for each installed expert, with the program of the last task.
 * @param tasks of the terminal, in their order
 * @param uploads hashes of the uploaded files, by id
 * @returns how many experts' ends were known for sure
 */
export const expectExpertsOnce = (
  { id, path }: { id: string; path: string },
  tasks: readonly ExpertTask[],
  uploads: ReadonlyMap<string, string>,
): number => {
  const charts = listExpertCharts(path);
  let certain = 0;
  for (const name of Object.values(LOAD_EXPERTS)) {
    const own = tasks.filter(({ type, payload }) => experts.includes(type) && payload.name === name);
    if (own.length === 0) continue;
    const possible = replay(own, uploads);
    const program = findProgram(path, name);
    const found = charts.filter((chart) => chart === name).length;
    expect([...possible], `the program ${name} of terminal ${id}`).toContain(program);
    const counts = [...new Set([...possible].map((installed) => (installed === null ? 0 : 1)))];
    expect(counts, `charts with ${name} of terminal ${id}`).toContain(found);
    if (possible.size === 1) certain += 1;
  }
  return certain;
};
