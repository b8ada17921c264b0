import { addCounts, toSummary } from './counts.mjs';
import { listNeeds } from './programs.mjs';
import { writeTimes } from './times.mjs';

/**
 * Ends a test run with the one line that a reader (and a gate) looks for: `N passed, N failed`. Before it stands what was
 * skipped, and how to get what it needs.
 */
export default class SummaryReporter {
  /** A run that breaks off before its end (in the global setup, say) has failed. */
  #counts = { passed: 0, failed: 1, skipped: 0 };
  #lines = [];

  onInit() {
    process.once('exit', () => {
      for (const line of this.#lines) process.stdout.write(`${line}\n`);
      process.stdout.write(`${toSummary(this.#counts)}\n`);
      const file = process.env.BERTH_TEST_COUNTS;
      if (file !== undefined) addCounts(file, this.#counts);
    });
  }

  /** Errors outside of tests count too: of a file (it cannot be imported), of a suite (its hooks), of nobody (unhandled). */
  onTestRunEnd(testModules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    const skipped = [];
    const times = {};
    for (const module of testModules) {
      for (const suite of [module, ...module.children.allSuites()]) counts.failed += suite.errors().length;
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        counts[state] += 1;
        if (state === 'skipped') skipped.push(test);
      }
      const seconds = Number((module.diagnostic().duration / 1_000).toFixed(1));
      if (tests.some((test) => test.result().state !== 'skipped')) {
        times[module.relativeModuleId] = { seconds, tests: tests.length };
      }
    }
    // Nothing ran: no test was found, or the global setup failed.
    if (counts.passed + counts.failed + counts.skipped === 0) counts.failed = 1;
    this.#counts = counts;
    this.#lines = toReasons(skipped);
    writeTimes(times);
  }
}

/** A line for each thing that is missing. A test that needs two of them is counted at the first. */
const toReasons = (skipped) => {
  const missing = listNeeds().filter(({ isHere }) => !isHere);
  const counts = new Map();
  for (const test of skipped) {
    const need = missing.find(({ name }) => test.tags.includes(name));
    const note = test.result().note;
    const reason = need ? `${toMissing(need)}: ${need.install}` : (note ?? 'left out by the test itself');
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => `Skipped ${count}: ${reason}`);
};

const toMissing = ({ name, missing }) => (missing.length === 0 ? `needs ${name}` : `needs ${missing.join(', ')}`);
