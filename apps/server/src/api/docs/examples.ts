/**
 * An example of each operation, recorded from a real run and kept in `examples.json`: `script/update` writes it, and
 * `test/e2e/api-examples.test.ts` compares it with what a server answers.
 */
import kept from './examples.json' with { type: 'json' };

export interface ApiExample {
  curl: string;
  /** The call of `@berth/client`. */
  ts: string;
  /** The body that it sends, where that is JSON. */
  body?: unknown;
  /** Media type of the answer. */
  type: string;
  /** JSON, or the text of events; undefined for binary content. */
  answer?: unknown;
}

const examples: Record<string, ApiExample> = kept;

/** @param name of the operation; a new one has no example until the test has run */
export const findExample = (name: string): ApiExample | undefined => examples[name];
