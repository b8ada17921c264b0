/** `script/bench`: measures the goals one after the other and prints medians, ratios and verdicts. */
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { Bench } from './bench.ts';
import { measureCurve } from './curve.ts';
import { measureDashboard } from './dashboard/measure.ts';
import { measureHostile } from './hostile.ts';
import type { Figures, Goal, Judgement } from './goal.ts';
import { profileRead } from './goals/1-profile-read.ts';
import { createTask } from './goals/2-create-task.ts';
import { wholeLife } from './goals/3-whole-life.ts';
import { bulk } from './goals/3b-bulk.ts';
import { startLatency } from './goals/4-start-latency.ts';
import { connectedHosts } from './goals/5-connected-hosts.ts';
import { lists } from './goals/6-lists.ts';
import { warmStart } from './goals/7-warm-start.ts';
import { sandbox } from './goals/8-sandbox.ts';
import { webhooks } from './goals/12-webhooks.ts';
import { accounts } from './goals/13-accounts.ts';
import { deals } from './goals/14-deals.ts';
import { alerts } from './goals/15-alerts.ts';
import { breaches } from './goals/16-breaches.ts';
import { toMedian, toRounded } from './statistics.ts';

/** What has no goal, and is measured only when it is asked for. */
const surveys = { curve: measureCurve, hostile: measureHostile, dashboard: measureDashboard };
const goals = [
  profileRead,
  createTask,
  wholeLife,
  bulk,
  startLatency,
  connectedHosts,
  lists,
  warmStart,
  sandbox,
  webhooks,
  accounts,
  deals,
  alerts,
  breaches,
];

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const USAGE = `script/bench [--only ID[,ID…]] [--runs N] [--seconds N] [--json] [--profile FOLDER]

  --only ID         what to measure: ${[...new Set(goals.map(({ id }) => id)), ...Object.keys(surveys)].join(', ')}; without it, all that has a goal
  --runs N          how often each figure is taken (3)
  --seconds N       how long a rate is measured (4)
  --json            prints the figures as JSON
  --profile FOLDER  leaves CPU profiles of the servers there

docs/benchmarks.md tells what is measured, and what came out.`;

const readArguments = () => {
  const options = {
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    profile: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    return process.exit(2);
  }
};

const values = readArguments();
if (values.help) {
  print(USAGE);
  process.exit();
}

const toMedians = (runs: Figures[]): Figures => {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run)))];
  return Object.fromEntries(names.map((name) => [name, toMedian(runs.flatMap((run) => run[name] ?? []))]));
};

const toVerdict = ({ value, goal, moonshot, direction }: Judgement): string => {
  const reaches = (target: number) => (direction === 'least' ? value >= target : value <= target);
  if (reaches(moonshot)) return 'moonshot reached';
  return reaches(goal) ? 'goal reached' : 'MISSED';
};

const report = (goal: Goal, medians: Figures): void => {
  print(`\n${goal.id}. ${goal.title}`);
  for (const [name, value] of Object.entries(medians)) print(`   ${name.padEnd(44)} ${toRounded(value)}`);
  for (const judgement of goal.judge(medians)) {
    const { what, value, goal: target, moonshot } = judgement;
    print(`   → ${what}: ${toRounded(value)} (goal ${target}, moonshot ${moonshot}): ${toVerdict(judgement)}`);
  }
};

/** Rows of Markdown, for docs/benchmarks.md: a table for each kind of point. */
const printTables = (points: readonly { title: string; figures: Figures }[]): void => {
  let columns = '';
  for (const { title, figures } of points) {
    const names = Object.keys(figures).join(' | ');
    if (names !== columns) print(`\n| | ${names} |\n|---|${'---|'.repeat(Object.keys(figures).length)}`);
    columns = names;
    print(`| ${title} | ${Object.values(figures).map(toRounded).join(' | ')} |`);
  }
};

const isWanted = (id: string): boolean => values.only === undefined || values.only.split(',').includes(id);
const bench = await Bench.open({
  runs: Number(values.runs),
  seconds: Number(values.seconds),
  profileFolder: values.profile,
});
const machine = `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}`;
const results: object[] = [];
try {
  if (!values.json) print(machine);
  for (const goal of goals.filter(({ id }) => isWanted(id) || (id === '8' && isWanted('9')))) {
    const medians = toMedians(await goal.measure(bench));
    const statements = await bench.takeStatements();
    if (!values.json) for (const row of statements) print(JSON.stringify(Object.values(row)));
    results.push({
      id: goal.id,
      title: goal.title,
      medians,
      judgements: goal.judge(medians),
      ...(statements.length > 0 ? { statements } : {}),
    });
    if (!values.json) report(goal, medians);
  }
  for (const [id, measure] of Object.entries(surveys)) {
    if (!values.only?.split(',').includes(id)) continue;
    const points: { title: string; figures: Figures }[] = [];
    await measure(bench, (title, figures) => {
      points.push({ title, figures });
      results.push({ id, title, medians: figures });
      if (!values.json) report({ id, title, measure: async () => [], judge: () => [] }, figures);
    });
    if (!values.json) printTables(points);
  }
  if (values.json) print(JSON.stringify({ machine, at: new Date().toISOString(), results }, undefined, 2));
} finally {
  await bench.close();
}
