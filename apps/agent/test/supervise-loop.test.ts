import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, systemClock, systemTiming, type Timing } from '@berth/kit';
import { afterEach, expect, test } from 'vitest';
import { MAX_STARTS, runSuperviseLoop } from '../src/host/loops/supervise.ts';
import { ReportOutbox } from '../src/server/report-outbox.ts';
import { TerminalKeeper } from '../src/terminals/terminal-keeper.ts';
import { TerminalObservations } from '../src/terminals/terminal-observations.ts';
import { SleepTerminals } from './support/sleep-terminals.ts';
import { waitFor } from '@berth/testing/wait-for';
import { useFolder } from './support/use-folder.ts';

const COUNT = 2 * MAX_STARTS + 3;
const ids = Array.from({ length: COUNT }, (_, number) => `terminal-${number}`);
const log = createLogger({ name: 'supervise', level: 'silent' });

let folder: string;
let terminals: SleepTerminals;
useFolder((created) => {
  folder = created;
  terminals = new SleepTerminals(folder);
});
afterEach(async () => {
  await terminals.killAll();
});

test('hundreds of terminals that died at once are started a few at each look', async () => {
  for (const id of ids) {
    mkdirSync(join(folder, id));
    // What a process left that has ended since.
    writeFileSync(join(folder, id, 'process.json'), JSON.stringify({ pid: 1, startedAt: 'ended' }));
  }
  const keeper = new TerminalKeeper({ registry: terminals, onObservation: () => undefined, timing: systemTiming, log });
  for (const id of ids) await keeper.open({ id, platform: 'sandbox' });
  const countAlive = () => ids.filter((id) => terminals.isAlive(id)).length;
  const ending = new AbortController();
  const counts: number[] = [];
  const timing: Timing = {
    clock: systemClock,
    random: () => 0.5,
    // Between two looks all that was begun comes to its end.
    sleep: async () => {
      await waitFor(() => keeper.list().every(({ isBusy }) => !isBusy), { what: 'the starts' });
      counts.push(countAlive());
      if (counts.length === 4) ending.abort();
    },
  };
  const observations = new TerminalObservations(new ReportOutbox(timing), timing.clock);
  await runSuperviseLoop({ keeper, observations, timing, log }, ending.signal);
  expect(counts).toEqual([MAX_STARTS, 2 * MAX_STARTS, COUNT, COUNT]);
  keeper.detachAll();
});
