/** The simulation as a program: `script/simulate`. */
import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { addFigures, noFigures, toText, type Figures } from './figures.ts';
import { mutations } from './mutations.ts';
import { run, type RunOptions } from './run.ts';
import { runSchedule } from './schedule.ts';

const USAGE = `script/simulate [--schedules N] [--minutes N] [--seed N] [--from N] [--workers N] [--mutation NAME] [--brief] [--json]

  --schedules N    how many schedules (BERTH_SIMULATION_SCHEDULES, or 2,000)
  --minutes N      ends after so many minutes, however many schedules are left
  --seed N         runs this one schedule, and prints every event of it
  --from N         the first seed (1)
  --workers N      processes that share the work (2)
  --mutation NAME  plants one of the defects of mutations.ts
  --brief          ends at the first violation (with --workers 1)
  --json           prints the figures as one line of JSON

Exit codes: 0 everything held, 1 a violation was found, 2 wrong arguments. docs/simulation.md describes the rest.
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    schedules: { type: 'string', default: process.env.BERTH_SIMULATION_SCHEDULES ?? '2000' },
    minutes: { type: 'string', default: '1e6' },
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    mutation: { type: 'string' },
    brief: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(USAGE);
  process.exit();
}

// A process simulates for seconds: what V8 takes to compile long functions does not come back in them.
setFlagsFromString('--max-inlined-bytecode-size-cumulative=400');

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const toCommand = (seed: number): string => {
  const planted = values.mutation === undefined ? '' : ` --mutation "${values.mutation}"`;
  return `script/simulate --seed ${seed}${planted}`;
};

/** One schedule with its trace. */
const replay = async (seed: number): Promise<boolean> => {
  const mutation = values.mutation === undefined ? undefined : mutations[values.mutation];
  const end = await runSchedule({ seed, mutation, trace: print });
  print(`${end.steps} steps, ${end.tasks} tasks, ${end.attempts} attempts`);
  print(end.violation === undefined ? 'everything held' : `VIOLATION: ${end.violation}`);
  return end.violation === undefined;
};

const runInChild = (options: RunOptions): Promise<Figures> =>
  new Promise((resolve, reject) => {
    const child = fork(process.argv[1]!, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.once('message', (figures) => resolve(figures as Figures));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`a process of the simulation ended with ${code}`)));
    child.send(options);
  });

const runAll = async (): Promise<boolean> => {
  const [schedules, workers, from] = [Number(values.schedules), Number(values.workers), Number(values.from)];
  const startedAt = performance.now();
  const parts = Array.from({ length: workers }, (_, worker) => ({
    seed: from + worker,
    stride: workers,
    schedules: Math.floor(schedules / workers) + (worker < schedules % workers ? 1 : 0),
    mutation: values.mutation,
    isBrief: values.brief,
    forMs: Number(values.minutes) * 60_000,
  }));
  const figures = noFigures();
  const results = workers === 1 ? [await run(parts[0]!)] : await Promise.all(parts.map(runInChild));
  for (const part of results) addFigures(figures, part);
  const seconds = (performance.now() - startedAt) / 1000;
  print(values.json ? JSON.stringify({ ...figures, seconds }) : toText(figures, seconds));
  for (const { seed, text } of values.json ? [] : figures.violations) {
    print(`VIOLATION in the schedule of seed ${seed}: ${text.split('\n')[0]}\n  replay: ${toCommand(seed)}`);
  }
  return figures.violations.length === 0;
};

if (process.send) {
  // A signal that stops the program stops its share of the work too.
  process.once('disconnect', () => process.exit());
  process.once('message', (options) => {
    void run(options as RunOptions).then((figures) => process.send?.(figures, () => process.disconnect()));
  });
} else {
  const hasHeld = values.seed === undefined ? await runAll() : await replay(Number(values.seed));
  process.exitCode = hasHeld ? 0 : 1;
}
