/** The diagrams of state machines in docs/diagrams are those of the contract: `script/update`. */
import {
  isFinalTaskStatus,
  taskTransitions,
  TaskStatus,
  terminalTransitions,
  TerminalStatus,
  toTaskStatusName,
  toTerminalStatusName,
} from '@berth/contract';
import { expect, it } from 'vitest';
import { toSvg, type Diagram } from './state-diagram.ts';

const tasks: Diagram = {
  title: 'Statuses of a task',
  places: {
    PENDING: [0, 0],
    QUEUED: [1, 0],
    DELIVERED: [2, 0],
    RUNNING: [3, 0],
    CANCELED: [0, 2],
    FAILED: [1.5, 2],
    TERMINATED: [2.75, 2],
    COMPLETED: [4, 1.5],
  },
  moves: taskTransitions.map(([from, to]) => [toTaskStatusName(from), toTaskStatusName(to)]),
  finals: Object.values(TaskStatus).filter(isFinalTaskStatus).map(toTaskStatusName),
};

const installed = ['CONNECTING', 'ACTIVE', 'DISCONNECTED', 'STOPPED', 'LOGIN_FAILED'];

const terminals: Diagram = {
  title: 'Statuses of a terminal',
  places: {
    PENDING: [0, 0],
    INSTALLING: [0.55, 1.6],
    FAILED: [0, 3.2],
    CONNECTING: [2.1, 0.3],
    LOGIN_FAILED: [2.1, 2.3],
    ACTIVE: [3.4, 0.3],
    DISCONNECTED: [3.4, 2.3],
    STOPPED: [4.6, 1.3],
    UNREACHABLE: [3.4, 4],
    DESTROYING: [5.9, 1],
    DESTROYED: [5.9, 3],
  },
  frames: [
    { states: installed, to: ['UNREACHABLE'], from: ['UNREACHABLE'] },
    { states: [...installed, 'PENDING', 'INSTALLING', 'FAILED', 'UNREACHABLE'], to: ['DESTROYING'], room: 28 },
  ],
  moves: Object.values(TerminalStatus).flatMap((from) =>
    terminalTransitions[from].map((to) => [toTerminalStatusName(from), toTerminalStatusName(to)] as const),
  ),
  finals: ['DESTROYED'],
};
/** How hosts come and go is no table of moves: the statements of apps/server/src/hosts do it. */
const hosts: Diagram = {
  title: 'Statuses of a host',
  places: { ENROLLED: [0, 0], ONLINE: [1, 0], LOST: [2, 0], RETIRED: [1, 1.2] },
  moves: [
    ['ENROLLED', 'ONLINE'],
    ['ONLINE', 'LOST'],
    ['LOST', 'ONLINE'],
    ['ENROLLED', 'RETIRED'],
    ['ONLINE', 'RETIRED'],
    ['LOST', 'RETIRED'],
  ],
  finals: ['RETIRED'],
};

it.each([
  ['task', tasks],
  ['terminal', terminals],
  ['host', hosts],
])('%s is drawn from the contract', async (name, diagram) => {
  await expect(toSvg(diagram)).toMatchFileSnapshot(`../../docs/diagrams/${name}.svg`);
});

it('a frame cannot show a move that the machine does not know', () => {
  const frames = [{ states: ['PENDING'], to: ['ACTIVE'] }];
  expect(() => toSvg({ ...terminals, frames })).toThrow('PENDING ACTIVE, which is no move');
});
