import { TaskType, type TaskStep } from '@berth/contract';

/** The task of all measurements: nothing to seal, no file, no effect on the terminal. */
/** What proves that the task of `toTaskBody` was done. */
export const toProvenStep = (at: number): TaskStep => ({
  step: 'show',
  ok: true,
  code: null,
  message: 'Shown.',
  at: new Date(at).toISOString(),
  data: { symbols: 1 },
});

export const toTaskBody = (): string => JSON.stringify({ type: TaskType.MARKET_WATCH_SHOW_ALL, payload: {} });

export const toTaskPath = (terminalId: string): string => `/v1/my/trading/terminals/${terminalId}/tasks`;
