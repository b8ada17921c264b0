import { randomUUID } from 'node:crypto';
import type { DeliveredTask, WantedTerminal } from '@berth/contract';

export const aTerminal = (id: string = randomUUID()): WantedTerminal => ({
  id,
  platform: 'sandbox',
  status: 0,
  server_name: 'Demo',
  login: '1',
});

export const aTask = (terminal: WantedTerminal, given: Partial<DeliveredTask> = {}): DeliveredTask => ({
  id: randomUUID(),
  fence: 1,
  type: 14,
  terminal,
  payload: {},
  secrets: {},
  running_deadline_ms: 60_000,
  ...given,
});
