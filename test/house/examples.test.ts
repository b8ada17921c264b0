/** The examples in the comments of the contract and the kit: each compiles as written, and has the stated result. */
import { listExamples, useExamples } from '@berth/testing/examples';
import { describe, expect, it } from 'vitest';
import { listTrackedFiles } from './repository.ts';

const sources = listTrackedFiles().filter((path) => /^packages\/(contract|kit)\/src\/.+\.ts$/.test(path));
const { examples, write, compile, run } = useExamples('examples', sources.flatMap(listExamples));
for (const example of examples) write(example);

describe('the examples', { timeout: 120_000 }, () => {
  it('the examples are there for a first use', () => expect(examples.length).toBeGreaterThan(15));

  it('the examples compile', () => expect(compile()).toEqual([]));

  it.each(examples)('the examples do what they say: $place', (example) => run(example));
});
