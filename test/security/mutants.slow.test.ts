/** Each statement loses, one at a time, each condition that keeps users, hosts, attempts or times apart: mutants.test.ts. */
import { expect, it } from 'vitest';
import { expectSeen, listUnseen, TIMEOUT_MS, useBorders } from './support/mutation.ts';

useBorders();

it(
  'no statement loses the condition of an owner, a fence or a time unseen',
  () =>
    expectSeen((all) => {
      const names = new Set(all.map(({ name }) => name));
      expect(listUnseen().filter((name) => !names.has(name))).toEqual([]);
      return all;
    }),
  TIMEOUT_MS,
);
