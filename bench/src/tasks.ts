import { TaskType } from '@berth/contract';

/** The task of all measurements: nothing to seal, no file, no effect on the terminal. */
export const toTaskBody = (): string => JSON.stringify({ type: TaskType.MARKET_WATCH_SHOW_ALL, payload: {} });

export const toTaskPath = (terminalId: string): string => `/v1/my/trading/terminals/${terminalId}/tasks`;
