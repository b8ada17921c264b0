/**
 * Would anybody notice? Each statement loses, one at a time, a condition that keeps users, hosts, attempts or times apart; then
 * everything is tried across the borders once more. A mutant that changes nothing that can be seen is a border that no test
 * guards: a new statement with an owner needs a look across it in support/borders.ts.
 */
import { listStatements, startTestServer, type TestServer } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createScene, observe } from './support/borders.ts';
import { createLasting, type Lasting } from './support/crowds.ts';
import { toMutants, withMutant, type Mutant } from './support/mutants.ts';

const TIMEOUT_MS = 1_800_000;

/** By name, why it goes unnoticed. A mutant may be listed only where nothing could be seen at all. */
const UNSEEN = new Map<string, string>(
  ['count', 'list'].flatMap((what) =>
    ['host_id = tm.host_id (2)', 't.user_id = $1 (4)', 'tm.user_id = $1 (3)'].map((condition): [string, string] => [
      `${what}_account_tasks_achieved: ${condition}`,
      'It leaves tasks out of those of the user: of others, or twice, there is nothing that could be left out.',
    ]),
  ),
);

let server: TestServer;
let lasting: Lasting;

beforeAll(async () => {
  server = await startTestServer({ config: { defaultPlatform: 'sandbox', terminalLimits: new Map([[0, 2]]) } });
  lasting = await createLasting(server);
}, TIMEOUT_MS);
afterAll(() => server.close(), TIMEOUT_MS);

const isSeen = async (mutant: Mutant, expected: string[]): Promise<boolean> => {
  const scene = await createScene(server, lasting);
  const seen = await withMutant(mutant, () => observe(scene, expected));
  return seen.length < expected.length || seen.at(-1) !== expected.at(-1);
};

it(
  'no statement loses the condition of an owner, a fence or a time unseen',
  async () => {
    const expected = await observe(await createScene(server, lasting));
    expect(await observe(await createScene(server, lasting))).toEqual(expected);
    const mutants = toMutants(listStatements());
    expect(mutants.length).toBeGreaterThan(30);
    const survivors: string[] = [];
    for (const mutant of mutants) if (!(await isSeen(mutant, expected))) survivors.push(mutant.name);
    process.stdout.write(`${mutants.length - survivors.length} of ${mutants.length} mutants of statements were seen\n`);
    expect(survivors.sort()).toEqual([...UNSEEN.keys()].sort());
  },
  TIMEOUT_MS,
);
