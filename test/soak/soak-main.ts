/**
 * The soak as a program: `script/soak`.
 *   --minutes N   how long (default 5)
 *   --cycles N    instead: how many faults
 *   --seed N      the order of the faults (default: drawn); what they meet is real, and never quite the same
 *   --json        figures as one line of JSON
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endProcesses, waitFor } from '@berth/testing';
import { listFiles, listProcesses } from './leftovers.ts';
import { RunLog } from './run-log.ts';
import { createRecord, runSoak } from './soak.ts';
import { toSummary, toText } from './summary.ts';

const USAGE = `script/soak [--minutes N | --cycles N] [--seed N] [--json]

  --minutes N  how long it goes on (without it, for --cycles)
  --cycles N   how many rounds of faults
  --seed N     the faults of an earlier soak
  --json       prints the figures as JSON

Exit codes: 0 nothing was lost, 1 something was, 2 wrong arguments. docs/soak.md describes what is done and checked.
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    minutes: { type: 'string' },
    cycles: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    json: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(USAGE);
  process.exit();
}

const toNumber = (name: 'minutes' | 'cycles' | 'seed', text: string): number => {
  const number = Number(text);
  if (Number.isFinite(number) && number >= 0) return number;
  process.stderr.write(`--${name} needs a number; "${text}" is none.\n`);
  process.exit(2);
};

const seed = toNumber('seed', values.seed);
const startedAt = performance.now();
const toSeconds = () => (performance.now() - startedAt) / 1000;
const toProgress = (): ((cycles: number) => number) => {
  if (values.cycles !== undefined) {
    const end = toNumber('cycles', values.cycles);
    return (cycles) => cycles / end;
  }
  const minutes = toNumber('minutes', values.minutes ?? '5');
  return () => toSeconds() / 60 / minutes;
};

const stop = new AbortController();
const interrupt = () => {
  if (stop.signal.aborted) process.exit(130);
  process.stderr.write('soak: ending after this fault; once more to end at once\n');
  stop.abort();
};
process.on('SIGINT', interrupt).on('SIGTERM', interrupt);

// Everything that the run starts inherits a temporary folder of its own: what is left in it, or names it, was left behind.
const temporaryFolder = realpathSync(mkdtempSync(join(tmpdir(), 'berth-soak-')));
const logFolder = join(process.cwd(), '.build/soak/runs', `${new Date().toISOString().replace(/[:.]/g, '-')}-${seed}`);
process.env.TMPDIR = temporaryFolder;

const record = createRecord();
const findings: string[] = [];
const log = new RunLog(logFolder, (text) => process.stderr.write(`soak: ${text}\n`));
const progress = toProgress();
log.print(`seed ${seed}, logs in ${logFolder}`);
try {
  await runSoak({ seed, toProgress: progress, log, signal: stop.signal }, record);
} catch (error) {
  findings.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
await endProcesses();

/** The folder for the sockets of terminals is shared by all instances of a user and stays, empty. */
const isLeftover = (path: string): boolean => path !== `berth-${userInfo().uid}`;
const isGone = () => listProcesses(temporaryFolder).length === 0;
await waitFor(isGone, { timeoutMs: 5_000 }).catch(() => undefined);
findings.push(...listProcesses(temporaryFolder).map((process) => `left behind, a process: ${process}`));
findings.push(
  ...listFiles(temporaryFolder)
    .filter(isLeftover)
    .map((path) => `left behind, a file: ${path}`),
);
if (findings.length === 0) rmSync(temporaryFolder, { recursive: true, force: true });
else log.print(`${temporaryFolder} is left as it is`);

const summary = toSummary(record, { seed, seconds: toSeconds(), findings });
log.keep('summary.json', summary);
log.keep('summary.txt', toText(summary));
log.keep('footprints.json', record.footprints);
process.stdout.write(`${values.json ? JSON.stringify(summary) : toText(summary)}\n`);
if (summary.findings.length > 0) {
  process.stderr.write(`soak: failed; logs in ${logFolder}; the same faults: script/soak --seed ${seed}\n`);
}
process.exit(summary.findings.length > 0 ? 1 : 0);
