import { expect, it } from 'vitest';
import { interruptibleTypes, isRefusedByLock, isStop, taskCatalogue, TaskType, taskTypes } from '../src/index.ts';

it('what ends trading goes before what waits, and nothing else does', () => {
  const stops = taskTypes.filter((type) => isStop(type, {}));
  expect(stops).toEqual([TaskType.CLOSE_ALL, TaskType.TERMINAL_STOP]);
  expect(isStop(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 })).toBe(true);
  expect(isStop(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 })).toBe(false);
});

it('a locked terminal refuses what could trade there, and never what ends trading', () => {
  const refused = taskTypes.filter((type) => isRefusedByLock(type, {}));
  const { EA_INSTALL, EA_UPDATE, ACCOUNT_LOGIN, ACCOUNT_OPEN_DEMO, TERMINAL_START } = TaskType;
  expect(refused).toEqual([EA_INSTALL, EA_UPDATE, ACCOUNT_LOGIN, ACCOUNT_OPEN_DEMO, TERMINAL_START]);
  for (const allowed of [0, 1]) {
    const payload = { allow_algo_trading: allowed };
    for (const type of taskTypes) expect(isStop(type, payload) && isRefusedByLock(type, payload)).toBe(false);
  }
  expect(isRefusedByLock(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 })).toBe(true);
});

it('a stop interrupts only what may be repeated, and never an installation or a destruction of a terminal', () => {
  for (const type of interruptibleTypes) expect(taskCatalogue[type].isRepeatable).toBe(true);
  for (const type of [TaskType.TERMINAL_INSTALL, TaskType.TERMINAL_DESTROY, TaskType.ACCOUNT_OPEN_DEMO])
    expect(interruptibleTypes).not.toContain(type);
  expect(interruptibleTypes).toContain(TaskType.EA_INSTALL);
});
