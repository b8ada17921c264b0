/** The facts that an honest host states about a task, as the server requires them. */
import { TaskType, type DeliveredTask } from '@berth/contract';

export const needsScreenshot = (type: TaskType): boolean =>
  type === TaskType.SCREENSHOT || type === TaskType.SCREENSHOT_LATENCY;

/** The facts about an uploaded screenshot. */
export const toScreenshotFacts = (file: { id: string; sha256: string; size: number; type: string }) => ({
  ...{ id: file.id, sha256: file.sha256, bytes: file.size, type: file.type },
  ...{ width: 800, height: 600 },
});

/** Facts that prove the task, except the id of a screenshot and the hash of a file. Pure. */
export const toProof = ({
  type,
  payload,
  terminal,
}: Pick<DeliveredTask, 'type' | 'payload'> & {
  terminal: Pick<DeliveredTask['terminal'], 'id' | 'login' | 'server_name'>;
}): Record<string, unknown> => {
  const chartId = payload.chart_id ?? '1';
  const sha256 = 'a'.repeat(64);
  switch (type) {
    case TaskType.TERMINAL_INSTALL:
      return { path: `/terminals/${terminal.id}`, build: 1 };
    case TaskType.TERMINAL_DESTROY:
      return { freed_bytes: 1 };
    case TaskType.EA_INSTALL:
      return { chart_id: chartId, sha256 };
    case TaskType.EA_REMOVE:
      return { removed: [chartId] };
    case TaskType.EA_UPDATE:
      return { old_sha256: null, sha256, charts: [chartId] };
    case TaskType.EA_LOGS:
      return { lines: [], truncated: false };
    case TaskType.SCREENSHOT:
      return {};
    case TaskType.SCREENSHOT_LATENCY:
      return { latency_ms: { min: 1, avg: 2, max: 3, loss: 0 } };
    case TaskType.ACCOUNT_SERVER: {
      const servers = (payload.servers ?? [{ name: 'Of the file' }]) as { name: string }[];
      return { known: servers.map(({ name }) => name), sha256 };
    }
    case TaskType.ACCOUNT_LOGIN: {
      const { login = terminal.login, server_name: serverName = terminal.server_name } = payload;
      return { login, server_name: serverName, connected: true, ping_ms: 20 };
    }
    case TaskType.ACCOUNT_LOGOUT:
      return { connected: false };
    case TaskType.ACCOUNT_OPEN_DEMO:
      return { login: '77', server_name: payload.server_name ?? 'Harbour' };
    case TaskType.OPTIONS_AUTO_TRADE:
      return { enabled: payload.allow_algo_trading === 1, verified: true };
    case TaskType.OPTIONS_WEB_REQUEST:
      return { urls: payload.remove === 1 ? [] : [new URL(String(payload.url)).origin] };
    case TaskType.CLOSE_ALL:
      return { closed: 0, total: 0, left_open: [], remaining: 0 };
    case TaskType.TERMINAL_STOP:
      return { running: false };
    case TaskType.TERMINAL_START:
    case TaskType.TERMINAL_RESTART: {
      const { login, server_name } = terminal;
      return { running: true, login, server_name, connected: true, ping_ms: 20 };
    }
    default:
      return { symbols: 1 };
  }
};
