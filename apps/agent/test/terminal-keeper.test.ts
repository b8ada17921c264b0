import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, systemTiming } from '@berth/kit';
import { afterEach, expect, test } from 'vitest';
import type { TerminalDriver } from '../src/platforms/driver.ts';
import { TerminalKeeper } from '../src/terminals/terminal-keeper.ts';
import { SleepTerminals } from './support/sleep-terminals.ts';
import { useFolder } from './support/use-folder.ts';

const log = createLogger({ name: 'keeper', level: 'silent' });

let folder: string;
let terminals: SleepTerminals;
let keeper: TerminalKeeper;
let driver: TerminalDriver;
let waits: number[];
useFolder(async (created) => {
  folder = created;
  mkdirSync(join(folder, 'terminal'));
  terminals = new SleepTerminals(folder);
  waits = [];
  // Seconds are short here.
  const sleep = async (ms: number, signal?: AbortSignal) => {
    waits.push(ms);
    await systemTiming.sleep(200, signal);
  };
  keeper = new TerminalKeeper({ registry: terminals, onObservation: () => undefined, timing: { sleep }, log });
  driver = await keeper.open({ id: 'terminal', platform: 'sandbox' });
});
afterEach(async () => {
  keeper.detachAll();
  await terminals.killAll();
});

test('a stop waits for a start that is under way', async () => {
  const start = keeper.runOpen(driver, async () => {
    await systemTiming.sleep(20);
    await driver.restart();
  });
  await keeper.stopAll();
  await start;
  expect(driver.isAlive()).toBe(false);
});

test('a stop does not wait for ever for what does not end', async () => {
  await driver.restart();
  void keeper.runOpen(driver, () => new Promise(() => undefined));
  await keeper.stopAll();
  expect(driver.isAlive()).toBe(false);
  expect(waits).toEqual([4_000]);
});
