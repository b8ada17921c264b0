import type { payloadSchemas, Static } from '@berth/contract';
import type { TaskType, TaskTypeName } from '@berth/contract/values';
import type { AttemptContext } from '../../driver.ts';
import { StepFailure } from '../step-failure.ts';
import type { Box, Launcher } from '../../../launchers/launcher.ts';
import type { Edition, MainWindow } from '../edition.ts';
import type { TerminalHome } from '../home.ts';
import type { RecordFile } from '../record.ts';
import type { LiveTerminal } from '../run/live-terminal.ts';
import type { Observations } from '../run/observations.ts';
import type { StepRecorder } from './step-recorder.ts';

/** The context of a task handler: one terminal's folders, memory, running process and access to the screen. */
export interface TerminalParts {
  id: string;
  home: TerminalHome;
  edition: Edition;
  launcher: Launcher;
  box: Box;
  window: MainWindow;
  record: RecordFile;
  live: LiveTerminal;
  observations: Observations;
}

/** One attempt at a task of the given type. */
export interface TaskRun<Name extends TaskTypeName = TaskTypeName> extends AttemptContext {
  payload: Static<(typeof payloadSchemas)[(typeof TaskType)[Name]]>;
  terminal: TerminalParts;
  steps: StepRecorder;
}

/** Carries out one type of task. The data of its last step is the task's answer. @returns secrets that it obtained */
export type TaskHandler<Name extends TaskTypeName> = (run: TaskRun<Name>) => Promise<{ password?: string } | void>;

/** The password that came with the task. */
export const findPassword = ({ task }: Pick<TaskRun, 'task'>): string | undefined =>
  typeof task.secrets.password === 'string' ? task.secrets.password : undefined;

/** Throws E_NOT_RUNNING for a terminal that has no installation on this host. */
export const assertInstalled = ({ record }: TerminalParts): void => {
  if (!record.get().isInstalled) throw new StepFailure('E_NOT_RUNNING', 'The terminal is not installed on this host.');
};

/** Why a terminal is down on purpose, and what to do. */
export const toNotRunning = ({ record }: TerminalParts): string =>
  record.get().isStopped
    ? 'The terminal is stopped. Start it first.'
    : 'The terminal is logged out and not running. Log in first.';

/** Throws E_NOT_RUNNING unless the terminal runs. */
export const assertRunning = (terminal: TerminalParts): void => {
  assertInstalled(terminal);
  if (terminal.live.isAlive()) return;
  throw new StepFailure(
    'E_NOT_RUNNING',
    terminal.record.get().shouldRun
      ? 'The terminal has ended unexpectedly and is being started again. Repeat the task in a moment.'
      : toNotRunning(terminal),
  );
};
