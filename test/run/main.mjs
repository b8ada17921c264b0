/** `script/test`: which tests are run, and what must be there for them. What it does not know itself is for vitest. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCounts, toSummary } from './counts.mjs';
import { isSlow, listTestFiles, root, toConcerned, toShare } from './files.mjs';
import { listNeeds } from './programs.mjs';
import { readTimes } from './times.mjs';

const HELP = `script/test [options] [paths]    runs the tests, or those of a folder or file: script/test apps/server

  --slow             the exhaustive tests instead, then the browser's with late answers and events, and then all others
                     on another version of Node.js; paths choose among the exhaustive ones
  --share SEED       besides, the share of the exhaustive tests that a whole number chooses
  --changed PATHS    besides, the exhaustive tests that are about these paths, one on a line
  --require all      fails at once when a program is missing, instead of skipping the tests that need it
  --list             says what belongs to which tier, and how long each file took when it ran last
  --help             says this

Everything else is for vitest: script/test -t 'a title', script/test --reporter verbose.
`;

const fail = (text) => {
  process.stderr.write(`berth: ${text}\n`);
  process.exit(2);
};

/** `--basics` and `--all` are for `script/test-on-node`. */
const FLAGS = { '--slow': 'isSlow', '--list': 'isList', '--help': 'isHelp', '--basics': 'isBasics' };
const VALUES = { '--share': 'seed', '--changed': 'changed', '--require': 'required' };

const toOptions = (args) => {
  const options = { rest: [] };
  for (let at = 0; at < args.length; at += 1) {
    const [name, ...others] = args[at].split('=');
    if (name in FLAGS) options[FLAGS[name]] = true;
    else if (name in VALUES) options[VALUES[name]] = others.length > 0 ? others.join('=') : args[(at += 1)];
    else options.rest.push(args[at]);
  }
  if ('required' in options && options.required !== 'all') fail('--require takes "all".');
  if ('seed' in options && !/^[1-9]\d{0,8}$/.test(options.seed ?? '')) fail('--share takes a whole number from 1 on.');
  return options;
};

const toMinutes = (seconds) => `${(seconds / 60).toFixed(1)} min`;

const printList = () => {
  // A reader such as `head` takes what it wants.
  process.stdout.on('error', () => process.exit(0));
  const times = readTimes();
  for (const tier of ['quick', 'slow']) {
    const files = listTestFiles().filter((path) => isSlow(path) === (tier === 'slow'));
    const rows = files.map((path) => ({ path, ...times[path] })).sort((a, b) => (b.seconds ?? 0) - (a.seconds ?? 0));
    const sum = rows.reduce((total, { seconds = 0 }) => total + seconds, 0);
    process.stdout.write(`${tier}: ${rows.length} files, ${toMinutes(sum)} of tests when they ran last\n`);
    for (const { path, seconds, tests } of rows) {
      const took = seconds === undefined ? '        -' : `${seconds.toFixed(1).padStart(7)} s`;
      process.stdout.write(`${took} ${String(tests ?? '-').padStart(5)}  ${path}\n`);
    }
    process.stdout.write('\n');
  }
};

/** Where other versions of Node.js differ: what is closest to it, and a way through everything. */
const BASICS = ['packages/kit/', 'packages/postgres/', 'packages/client/', 'test/e2e/main-job.test.ts'];
/** Of so many shares, one of the other tests is run with the basics. */
const OTHER_SHARES = 20;

const chooseBasics = (seed) => {
  const others = listTestFiles().filter((path) => !isSlow(path) && !BASICS.some((start) => path.startsWith(start)));
  return seed === undefined ? BASICS : [...BASICS, ...toShare(others, Number(seed), OTHER_SHARES)];
};

/** @returns the slow files of the run */
const chooseSlow = ({ isSlow: isAll, seed, changed = '' }) => {
  const slow = listTestFiles().filter(isSlow);
  if (isAll) return slow;
  const concerned = toConcerned(slow, changed.split('\n').filter(Boolean));
  const share = seed === undefined ? [] : toShare(slow, Number(seed));
  const chosen = [...new Set([...share, ...concerned])].sort();
  if (chosen.length > 0) process.stdout.write(`berth: of ${slow.length} slow files these, by the seed ${seed}:\n`);
  for (const path of chosen) {
    process.stdout.write(`  ${path}${concerned.includes(path) ? ' (about what has changed)' : ''}\n`);
  }
  return chosen;
};

const run = (command, args, environment) =>
  new Promise((resolve) => {
    const child = spawn(join(root, command), args, { stdio: 'inherit', env: { ...process.env, ...environment } });
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => resolve(code ?? 1));
  });

/** How late answers and events come in the flows of a browser (test/browser/support/weather.ts). */
const WEATHERS = ['random', 'late-answers', 'late-events', 'late-stream'];

const toWeather = (seed) => {
  const weather = seed === undefined ? undefined : ['', ...WEATHERS][Number(seed) % (WEATHERS.length + 1)];
  return process.env.BERTH_TEST_WEATHER ?? (weather ? `${weather}:${seed}` : '');
};

const runTests = (options) => {
  const { seed, rest, isBasics } = options;
  const environment = {
    BERTH_TEST_SLOW: isBasics ? '' : chooseSlow(options).join(','),
    BERTH_TEST_TIER: options.isSlow ? 'slow' : '',
    BERTH_TEST_WEATHER: toWeather(seed),
    BERTH_TEST_SEED: seed ?? process.env.BERTH_TEST_SEED ?? '1',
  };
  const args = ['run', ...rest, ...(isBasics ? chooseBasics(seed) : [])];
  return run('node_modules/.bin/vitest', args, environment);
};

/** A line of Node.js besides the one that is here; the newest stands last. */
const OTHER_NODE = process.versions.node.startsWith('24.') ? '22' : '24';

/** The slow tests, the flows of a browser in each weather, and the whole suite on another Node.js. Each of both ends with its own line, and all of it with their sum. */
const runSlow = async (options) => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-counts-'));
  const environment = { BERTH_TEST_COUNTS: join(folder, 'counts') };
  Object.assign(process.env, environment);
  try {
    const codes = [await runTests(options)];
    if (options.rest.length === 0) {
      for (const weather of WEATHERS) {
        const late = { ...environment, BERTH_TEST_WEATHER: weather };
        codes.push(await run('node_modules/.bin/vitest', ['run', 'test/browser'], late));
      }
      codes.push(await run('script/test-on-node', [OTHER_NODE, '--all'], environment));
    }
    process.stdout.write(`${toSummary(readCounts(environment.BERTH_TEST_COUNTS))}\n`);
    return Math.max(...codes);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const assertComplete = () => {
  const absent = listNeeds().filter(({ isHere }) => !isHere);
  for (const { name, missing, install } of absent) {
    process.stderr.write(`berth: tests need ${missing.join(', ') || name}: ${install}\n`);
  }
  if (absent.length === 0) return;
  process.stdout.write(`${toSummary({ passed: 0, failed: absent.length, skipped: 0 })}\n`);
  process.exit(1);
};

const options = toOptions(process.argv.slice(2));
if (options.isHelp) process.stdout.write(HELP);
else if (options.isList) printList();
else {
  if (options.required) assertComplete();
  process.exitCode = await (options.isSlow ? runSlow : runTests)(options);
}
