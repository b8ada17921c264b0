/** What it failed of at first stands below its name. */
const toSecondTry = (module, test) => {
  const errors = (test.result().errors ?? []).map(({ message, stack }) => `  ${stack ?? message}`);
  const lines = errors.flatMap((error) => error.split('\n')).filter((line) => !line.includes('/node_modules/'));
  return [`Passed at the second try: ${module.relativeModuleId} > ${test.fullName}`, ...lines].join('\n');
};

/**
 * Ends a test run with the one line that a reader (and a gate) looks for: `N passed, N failed`. Before it stands every test
 * that passed only when it was tried again, with what it failed of: a race in it, or in what it tests, wants to be mended.
 */
export default class SummaryReporter {
  /** A run that breaks off before its end (in the global setup, say) has failed. */
  #counts = { passed: 0, failed: 1, skipped: 0 };
  #secondTries = [];

  onInit() {
    process.once('exit', () => {
      const { passed, failed, skipped } = this.#counts;
      for (const text of this.#secondTries) process.stdout.write(`${text}\n`);
      process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
    });
  }

  /** Errors outside of tests count too: of a file (it cannot be imported), of a suite (its hooks), of nobody (unhandled). */
  onTestRunEnd(testModules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of testModules) {
      for (const suite of [module, ...module.children.allSuites()]) counts.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        counts[test.result().state] += 1;
        if (test.diagnostic()?.flaky) this.#secondTries.push(toSecondTry(module, test));
      }
    }
    // Nothing ran: no test was found, or the global setup failed.
    if (counts.passed + counts.failed + counts.skipped === 0) counts.failed = 1;
    this.#counts = counts;
  }
}
