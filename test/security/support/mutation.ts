/** Would anybody notice? A statement loses a condition, and everything is tried across the borders once more. */
import { listStatements, startTestServer, type TestServer } from '@berth/testing';
import { afterAll, beforeAll, expect } from 'vitest';
import { createScene, observe } from './borders.ts';
import { createLasting, type Lasting } from './crowds.ts';
import { toMutants, withMutant, type Mutant } from './mutants.ts';

export const TIMEOUT_MS = 1_800_000;

/** By name, why it goes unnoticed. A mutant may be listed only where nothing could be seen at all. */
const UNSEEN = new Map<string, string>([
  [
    'insert_tasks: a.user_id = t.user_id',
    'It only says which rows are held; whose they are is asked again where they are read.',
  ],
  [
    'take_unconfirmed_terminals: host_id = t.host_id',
    'Tasks of a terminal that are open are on its host; it only leads to their index.',
  ],
  ['take_returned_hosts: l.user_id = over.user_id (2)', 'All users of a host that is back are told in the same round.'],
  ...['claim_tasks: host_id = a.host_id (3)', 'claim_tasks: host_id = a.host_id (4)'].map((name): [string, string] => [
    name,
    'What is claimed is asked for its host again once its row is locked.',
  ]),
  ...[
    'find_managed_host: host_id = t.host_id',
    'list_hosts: host_id = t.host_id',
    'list_host_terminals: host_id = hosted.host_id (2)',
  ].map((name): [string, string] => [
    name,
    'Tasks of a terminal that are open are on its host; it only leads to their index.',
  ]),
  ...['count', 'list'].flatMap((what) =>
    ['host_id = tm.host_id (2)', 't.user_id = $1 (4)', 'tm.user_id = $1 (3)'].map((condition): [string, string] => [
      `${what}_account_tasks_achieved: ${condition}`,
      'It leaves tasks out of those of the user: of others, or twice, there is nothing that could be left out.',
    ]),
  ),
]);

let server: TestServer;
let lasting: Lasting;

/** Gives the file a server. */
export const useBorders = (): void => {
  beforeAll(async () => {
    server = await startTestServer({ config: { defaultPlatform: 'sandbox', terminalLimits: new Map([[0, 2]]) } });
    lasting = await createLasting(server);
  }, TIMEOUT_MS);
  afterAll(() => server.close(), TIMEOUT_MS);
};

/** @returns what was seen instead of what was expected; undefined: nothing differed */
const findDifference = async (mutant: Mutant, expected: string[]): Promise<string | undefined> => {
  const scene = await createScene(server, lasting);
  const seen = await withMutant(mutant, () => observe(scene, expected));
  if (seen.length === expected.length && seen.at(-1) === expected.at(-1)) return undefined;
  return `${seen.at(-1)} instead of ${expected[seen.length - 1]}`;
};

/** Tries the mutants that the callback chooses of all; each must be seen, or be listed as one that nobody could see. */
export const expectSeen = async (choose: (all: Mutant[]) => Mutant[], toRepeat = ''): Promise<void> => {
  const expected = await observe(await createScene(server, lasting));
  expect(await observe(await createScene(server, lasting))).toEqual(expected);
  // A look that fails in any case would see nothing.
  expect(expected.filter((seen) => seen.includes('Error'))).toEqual([]);
  const all = toMutants(listStatements());
  expect(all.length).toBeGreaterThan(30);
  const mutants = choose(all);
  expect(mutants.length).toBeGreaterThan(0);
  const survivors: string[] = [];
  for (const mutant of mutants) {
    const difference = await findDifference(mutant, expected);
    if (difference === undefined) survivors.push(mutant.name);
    else if (UNSEEN.has(mutant.name)) process.stdout.write(`${mutant.name} was seen: ${difference}\n`);
  }
  process.stdout.write(`${mutants.length - survivors.length} of ${mutants.length} mutants of statements were seen\n`);
  const unseen = mutants.map(({ name }) => name).filter((name) => UNSEEN.has(name));
  expect(survivors.sort(), toRepeat).toEqual(unseen.sort());
};

/** The names of mutants that went undetected: each must be an existing one. */
export const listUnseen = (): string[] => [...UNSEEN.keys()];
