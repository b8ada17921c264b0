import type { DeliveredTask } from '@berth/contract/agent';
import { isSingleLine, isTaskType, toTaskTypeName, type TaskTypeName } from '@berth/contract/values';
import type { AttemptContext, AttemptOutcome } from '../../driver.ts';
import { findStepFailure, StepFailure } from '../step-failure.ts';
import { findObstacle } from '../run/dialogs.ts';
import { taskHandlers } from './index.ts';
import { toScreenshot, uploadPng } from './screenshot.ts';
import { StepRecorder } from './step-recorder.ts';
import type { TerminalParts, TaskHandler, TaskRun } from './task-run.ts';

const holdsOnlyLines = (value: unknown): boolean => {
  if (typeof value === 'string') return isSingleLine(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => isSingleLine(key) && holdsOnlyLines(item));
};

/**
 * Every text of a task may reach a file of the terminal, where a second line would be an instruction of its own. The
 * server refuses such texts; something that answers in its place may not.
 */
const assertOnlyLines = ({ payload, secrets, terminal }: DeliveredTask): void => {
  if (holdsOnlyLines([payload, secrets, terminal])) return;
  throw new StepFailure('E_UNSUPPORTED', 'A text of the task has several lines, which no file of a terminal can hold.');
};

/** Adds the obstacle on the screen to the step that failed, with a screenshot of it. */
const reportObstacle = async (
  { live, window }: TerminalParts,
  { task, files, signal, log }: AttemptContext,
  { steps, failure }: { steps: StepRecorder; failure: StepFailure },
): Promise<void> => {
  if (signal.aborted) return;
  const obstacle = failure.obstacle ?? (live.isAlive() ? await findObstacle(window) : undefined);
  if (!obstacle) return;
  try {
    const file = obstacle.screenshot && (await uploadPng(files, task, toScreenshot(obstacle.screenshot)));
    steps.explainFailure(obstacle.text, file ? { file } : {});
  } catch (error) {
    log.warn({ err: error }, 'the screenshot of a dialog could not be uploaded');
    steps.explainFailure(obstacle.text, {});
  }
};

/** Carries out one attempt at a task. Expected failures are outcomes; anything else is a bug and rejects. */
export const carryOut = async (terminal: TerminalParts, context: AttemptContext): Promise<AttemptOutcome> => {
  const { task, signal } = context;
  const steps = new StepRecorder(signal);
  try {
    if (!isTaskType(task.type))
      throw new StepFailure('E_UNSUPPORTED', 'This agent does not know the type of the task.');
    assertOnlyLines(task);
    // The server validated the payload against the same contract, and the table has one handler per type.
    const handler = taskHandlers[toTaskTypeName(task.type)] as TaskHandler<TaskTypeName>;
    const payload = task.payload as TaskRun['payload'];
    const secrets = await handler({ ...context, payload, terminal, steps });
    return { kind: 'completed', steps: steps.steps, ...(secrets ? { secrets } : {}) };
  } catch (error) {
    const failure = findStepFailure(error, signal.aborted);
    if (!failure) throw error;
    steps.ensureFailed(failure);
    await reportObstacle(terminal, context, { steps, failure });
    return { kind: 'failed', steps: steps.steps };
  }
};
