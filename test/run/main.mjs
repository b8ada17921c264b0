/**
 * `script/test`: runs the fixed list, or what is named, by vitest. A file that failed is run once more at the end, alone; if
 * it passes then, it is reported as flaky. The last line is the one that a gate reads.
 */
import { parseArgs } from 'node:util';
import { createVitest, parseCLI } from 'vitest/node';
import { listNeeds } from './programs.mjs';

const HELP = `script/test [options] [paths]    runs the fixed list of tests, or those of a folder or file: script/test test/wine

  --all              every test, with random seeds; the flows in a browser once more, with late answers and events; and the
                     fixed list on the other versions of Node.js. Takes some two hours
  --again            runs files that failed once more, alone, also where paths are named
  --require all      fails when tests are skipped because a program is missing
  -t <title>         only tests whose titles match
  --project <name>   gate is the fixed list, rest everything else, '*' both
  --update           writes generated files anew (script/update writes all of them)
  --reporter <name>  how vitest reports: verbose, dot, json
  --bail <number>    stops after so many failures
  --help             says this
`;

/** Vitest itself passes over an option that it does not know, so a misspelt one would have no effect. */
const OPTIONS = {
  again: { type: 'boolean' },
  require: { type: 'string' },
  testNamePattern: { type: 'string', short: 't' },
  project: { type: 'string', multiple: true },
  update: { type: 'boolean', short: 'u' },
  reporter: { type: 'string', multiple: true },
  bail: { type: 'string' },
};

const refuse = (text) => {
  process.stderr.write(`berth: ${text} script/test --help lists the options.\n`);
  process.exit(2);
};

const assertKnown = (args) => {
  try {
    parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    refuse(`${error.message.split(/[.] |\n/, 1)[0].replace(/[.]$/, '')}.`);
  }
};

/** More failed files than this have one cause, which a second run would not take away. */
const MAX_FILES_TRIED_AGAIN = 20;

const toOptions = (all) => {
  assertKnown(all);
  const args = all.filter((word) => word !== '--again');
  const at = args.indexOf('--require');
  if (at >= 0 && args[at + 1] !== 'all') refuse('--require takes "all".');
  const rest = at < 0 ? args : args.toSpliced(at, 2);
  const { filter, options } = parseCLI(['vitest', 'run', ...rest]);
  const isFixedList = filter.length === 0 && options.project === undefined;
  return {
    isStrict: at >= 0,
    // Who names a file wants to see its failure, not whether it goes away.
    isTriedAgain: filter.length === 0 || args.length < all.length,
    filter,
    options: isFixedList ? { ...options, project: 'gate' } : options,
  };
};

/** Vitest's note on an error outside of tests: during which file it came. */
const isOf = (module) => (error) => error.VITEST_TEST_PATH === module.moduleId;

const listErrors = (module) => [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());

/** What failed in a file, by titles; errors outside of tests by their first line. */
const listFailures = (module, unhandledErrors) => {
  const tests = [...module.children.allTests('failed')].map((test) => test.fullName);
  const errors = [...listErrors(module), ...unhandledErrors.filter(isOf(module))];
  return [...tests, ...errors.map(({ message }) => String(message).split('\n', 1)[0])];
};

/** @returns what failed at first and passed when its file was run again, by file, and the errors that are left */
const tryAgain = async (vitest, { testModules, unhandledErrors }) => {
  const failures = testModules
    .map((module) => ({ module, titles: listFailures(module, unhandledErrors) }))
    .filter(({ module, titles }) => titles.length > 0 || !['passed', 'skipped'].includes(module.state()));
  const isTried = failures.length > 0 && failures.length <= MAX_FILES_TRIED_AGAIN;
  if (!isTried) return { flaky: [], errors: unhandledErrors };
  const errors = unhandledErrors.filter((error) => !failures.some(({ module }) => isOf(module)(error)));
  const flaky = [];
  for (const { module, titles } of failures) {
    const path = module.relativeModuleId;
    process.stdout.write(`\nberth: ${path} failed; it is run once more, alone.\n`);
    const again = await vitest.runTestSpecifications(vitest.getModuleSpecifications(module.moduleId));
    errors.push(...again.unhandledErrors);
    const isPassed = again.testModules.find(({ moduleId }) => moduleId === module.moduleId)?.ok();
    if (isPassed && again.unhandledErrors.length === 0) flaky.push(...titles.map((title) => ({ path, title })));
  }
  return { flaky, errors };
};

/** Errors outside of tests count as failures, too: of a file, of a suite's hooks, of nobody. */
const count = (testModules, errors) => {
  const counts = { passed: 0, failed: errors.length, skipped: 0 };
  const skipped = [];
  for (const module of testModules) {
    const tests = [...module.children.allTests()];
    const errorCount = listErrors(module).length;
    // The process of a file may have ended before it said anything.
    counts.failed += errorCount === 0 && tests.length === 0 && !module.ok() ? 1 : errorCount;
    for (const test of tests) {
      const { state } = test.result();
      // A test that never began, because its process ended, has failed.
      counts[state in counts ? state : 'failed'] += 1;
      if (state === 'skipped') skipped.push(test);
    }
  }
  return { counts, skipped };
};

/** A line for each thing that is missing. A test that needs two of them is counted at the first. */
const toReasons = (skipped) => {
  const missing = listNeeds().filter(({ isHere }) => !isHere);
  const reasons = new Map();
  for (const test of skipped) {
    const need = missing.find(({ name }) => test.tags.includes(name));
    const text = need
      ? `needs ${need.missing.join(', ') || need.name}: ${need.install}`
      : (test.result().note ?? 'left out by the test itself');
    const reason = reasons.get(text) ?? { text, isMissing: need !== undefined, count: 0 };
    reasons.set(text, { ...reason, count: reason.count + 1 });
  }
  return [...reasons.values()];
};

/** GitHub shows the second form beside the file. */
const toFlakyLines = ({ path, title }) => [
  `flaky: ${path} > ${title}`,
  ...(process.env.CI ? [`::warning file=${path},title=flaky::${title.replaceAll('%', '%25')}`] : []),
];

/** A run that breaks off before its end, in the global setup, say, has failed. */
const BROKEN_OFF = { lines: [''], counts: { passed: 0, failed: 1, skipped: 0 } };

const runTests = async (vitest, { isStrict, isTriedAgain, filter }) => {
  const result = await vitest.start(filter);
  const { flaky, errors } = isTriedAgain
    ? await tryAgain(vitest, result)
    : { flaky: [], errors: result.unhandledErrors };
  const { counts, skipped } = count(vitest.state.getTestModules(), errors);
  const reasons = toReasons(skipped);
  if (counts.passed + counts.failed + counts.skipped === 0) counts.failed = 1;
  if (isStrict) for (const reason of reasons) counts.failed += reason.isMissing ? reason.count : 0;
  const lines = [...reasons.map((reason) => `Skipped ${reason.count}: ${reason.text}`), ...flaky.flatMap(toFlakyLines)];
  return { lines, counts };
};

const run = async (options) => {
  let end = BROKEN_OFF;
  process.once('exit', () => {
    const { passed, failed, skipped } = end.counts;
    for (const line of end.lines) process.stdout.write(`${line}\n`);
    process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
    process.exitCode = failed === 0 ? 0 : 1;
  });
  const vitest = await createVitest('test', { ...options.options, watch: false });
  try {
    end = await runTests(vitest, options);
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
  }
  await vitest.exit(true);
};

const args = process.argv.slice(2);
if (args.includes('--help')) process.stdout.write(HELP);
else await run(toOptions(args));
