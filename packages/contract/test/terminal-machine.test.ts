import { expect, it } from 'vitest';
import {
  admittingStatuses,
  isTerminalTransition,
  decideObservation,
  findTaskRefusal,
  observableStatuses,
  TaskType,
  taskTypes,
  terminalTransitions,
  TerminalStatus,
  terminalStatuses,
  type ObservableStatus,
} from '../src/index.ts';

const { PENDING, INSTALLING, ACTIVE, STOPPED, FAILED, DESTROYING, DESTROYED, UNREACHABLE } = TerminalStatus;

it('the terminal machine leaves DESTROYED never and DESTROYING only for DESTROYED', () => {
  expect(terminalTransitions[DESTROYED]).toEqual([]);
  expect(terminalTransitions[DESTROYING]).toEqual([DESTROYED]);
});

it('the terminal machine lets no observation of a host revive a terminal that is being destroyed', () => {
  for (const observed of observableStatuses) {
    expect(decideObservation(DESTROYING, observed)).toBeUndefined();
    expect(decideObservation(DESTROYED, observed)).toBeUndefined();
  }
});

it('the terminal machine takes what the host sees where only a connecting step is missing', () => {
  expect(decideObservation(STOPPED, ACTIVE)).toBe(ACTIVE);
  expect(decideObservation(PENDING, ACTIVE)).toBe(ACTIVE);
  expect(decideObservation(UNREACHABLE, ACTIVE)).toBe(ACTIVE);
  expect(decideObservation(ACTIVE, ACTIVE)).toBeUndefined();
});

it('the terminal machine can be stopped by its user while it connects, and where its login failed', () => {
  const { CONNECTING, DISCONNECTED, LOGIN_FAILED } = TerminalStatus;
  for (const from of [CONNECTING, ACTIVE, DISCONNECTED, LOGIN_FAILED, UNREACHABLE] as const)
    expect(decideObservation(from, STOPPED)).toBe(STOPPED);
});

it('the terminal machine never goes back to an installation that is over', () => {
  for (const from of [ACTIVE, STOPPED] as const)
    expect(decideObservation(from, INSTALLING as ObservableStatus)).toBeUndefined();
});

it('the terminal machine can be destroyed from every status but the last two', () => {
  for (const status of terminalStatuses) {
    expect(isTerminalTransition(status, DESTROYING)).toBe(status !== DESTROYING && status !== DESTROYED);
  }
});

it('the terminal machine refuses a second installation always and every task while it is being destroyed', () => {
  for (const status of terminalStatuses) expect(findTaskRefusal(status, TaskType.TERMINAL_INSTALL)).toBeDefined();
  for (const type of taskTypes) expect(findTaskRefusal(DESTROYING, type)).toBeDefined();
});

it('the terminal machine takes tasks from the first moment on, and only its destruction once the installation has failed', () => {
  for (const status of [PENDING, INSTALLING, UNREACHABLE] as const) {
    expect(findTaskRefusal(status, TaskType.SCREENSHOT)).toBeUndefined();
  }
  expect(findTaskRefusal(FAILED, TaskType.SCREENSHOT)).toContain('Delete it');
  expect(findTaskRefusal(FAILED, TaskType.TERMINAL_DESTROY)).toBeUndefined();
});

it('the terminal machine names the statuses that take tasks by the same rule as its refusals', () => {
  for (const status of terminalStatuses) {
    const isAdmitting = findTaskRefusal(status, TaskType.SCREENSHOT) === undefined;
    expect([status, admittingStatuses.includes(status)]).toEqual([status, isAdmitting]);
  }
});
