import { randomUUID } from 'node:crypto';
import { TaskType, TerminalStatus, type DeliveredTask, type WantedTerminal } from '@berth/contract';

export const aTerminal = (id: string = randomUUID()): WantedTerminal => ({
  id,
  platform: 'sandbox',
  status: TerminalStatus.PENDING,
  server_name: 'Demo',
  login: '1',
});

export const aTask = (terminal: WantedTerminal, given: Partial<DeliveredTask> = {}): DeliveredTask => ({
  id: randomUUID(),
  fence: 1,
  type: TaskType.MARKET_WATCH_SHOW_ALL,
  terminal,
  payload: {},
  secrets: {},
  running_deadline_ms: 60_000,
  ...given,
});
