/** What does not compile: calls that the server would refuse. */
import { expect, it } from 'vitest';
import { taskStatusNames, taskTypeNames, TerminalStatus, terminalStatusNames, type Berth } from '../src/index.ts';

export const calls = async (berth: Berth): Promise<void> => {
  // @ts-expect-error An expert that is installed has a name and a chart.
  await berth.terminals.bulkTasks('EA_INSTALL', { filter: {} });
  // @ts-expect-error Which way the switch goes has to be said.
  await berth.terminals.bulkTasks('OPTIONS_AUTO_TRADE', { terminal_ids: ['a'] });
  await berth.terminals.bulkTasks('SCREENSHOT', { terminal_ids: ['a'] });
  await berth.bulkRuns.create('SCREENSHOT', { all: true, planned_at: '2100-01-01T00:00:00Z', stagger_seconds: 5 });
  // @ts-expect-error The same for runs.
  await berth.bulkRuns.create('OPTIONS_AUTO_TRADE', { all: true });
  // @ts-expect-error Nobody means none of them.
  await berth.terminals.bulkTasks('SCREENSHOT', {});
  // @ts-expect-error There is no such status.
  await berth.terminals.waitFor('a', 'ACTIV');
  await berth.terminals.waitFor('a', [TerminalStatus.ACTIVE, 'STOPPED']);
};

it('numbers have names', () => {
  expect([taskStatusNames[4], taskTypeNames[6], terminalStatusNames[3]]).toEqual(['COMPLETED', 'SCREENSHOT', 'ACTIVE']);
});
