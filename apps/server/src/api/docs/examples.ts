/**
 * An example of each operation, made from a real run and kept in `examples.json`: `npx vitest run
 * test/e2e/api-examples.test.ts --update` writes it, and the same test holds it to what a server answers.
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
  /** JSON, or the text of events; of bytes there is none. */
  answer?: unknown;
}

const examples: Record<string, ApiExample> = kept;

/** @param name of the operation; one that is new has no example until the next run of the test */
export const findExample = (name: string): ApiExample | undefined => examples[name];
