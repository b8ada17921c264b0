/** How many tests passed, failed and were skipped: of one run of vitest, and of several that belong together. */
import { appendFileSync, readFileSync } from 'node:fs';

/** The line that ends a run, and that a gate reads. */
export const toSummary = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

/** Adds the counts of a run to a file. */
export const addCounts = (file, counts) => appendFileSync(file, `${JSON.stringify(counts)}\n`);

/** @returns the sum of what runs have added; a failure where none has */
export const readCounts = (file) => {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  try {
    for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
      for (const [name, count] of Object.entries(JSON.parse(line))) sum[name] += count;
    }
  } catch {
    sum.failed += 1;
  }
  return sum;
};
