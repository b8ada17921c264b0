import type { TaskStep } from '@berth/contract/values';
import { cutText } from '@berth/contract/values';
import { findStepFailure, StepFailure } from '../step-failure.ts';

/** The report of a successful step. Further fields are for the handler and do not become part of the result. */
export interface StepReport {
  message: string;
  data?: Record<string, unknown>;
}

const MAX_MESSAGE_CHARACTERS = 2000;

/** Records the steps of one attempt as they end. */
export class StepRecorder {
  readonly steps: TaskStep[] = [];
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Runs a step. @returns its report. Throws a StepFailure, which is recorded; any other error is a bug. */
  async run<Report extends StepReport>(step: string, act: () => Promise<Report>): Promise<Report> {
    try {
      this.#signal.throwIfAborted();
      const report = await act();
      this.#add(step, null, report.message, report.data);
      return report;
    } catch (error) {
      const failure = findStepFailure(error, this.#signal.aborted);
      if (!failure) throw error;
      this.#add(step, failure, failure.message, failure.data);
      throw failure;
    }
  }

  /** Like `run`, for a step whose failure does not end the task. @returns undefined when it failed */
  async attempt<Report extends StepReport>(step: string, act: () => Promise<Report>): Promise<Report | undefined> {
    try {
      return await this.run(step, act);
    } catch (error) {
      if (error instanceof StepFailure && !this.#signal.aborted) return undefined;
      throw error;
    }
  }

  /** Records a failure that happened outside of a step; one that a step has already recorded is left alone. */
  ensureFailed(failure: StepFailure): void {
    if (this.steps.at(-1)?.ok !== false) this.#add('carry_out', failure);
  }

  /** Adds later findings to the step that failed last. */
  explainFailure(text: string, data: Record<string, unknown>): void {
    const step = this.steps.at(-1);
    if (!step || step.ok) return;
    step.message = cutText(`${step.message} ${text}`, MAX_MESSAGE_CHARACTERS);
    step.data = { ...step.data, ...data };
  }

  #add(
    step: string,
    failure: StepFailure | null,
    message = failure?.message ?? '',
    data?: Record<string, unknown>,
  ): void {
    this.steps.push({
      step,
      ok: failure === null,
      code: failure?.code ?? null,
      message: cutText(message, MAX_MESSAGE_CHARACTERS),
      at: new Date().toISOString(),
      data: data ?? {},
    });
  }
}
