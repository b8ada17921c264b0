/** What is sent to a host about an attempt, with the secrets it needs. */
import {
  isSingleLine,
  taskCatalogue,
  TaskType,
  type DeliveredTask,
  type TerminalStatus,
  type WantedTerminal,
} from '@berth/contract';
import type { Logger } from '@berth/kit';
import type { Vault } from '../secrets/vault.ts';

export interface DeliveredRow {
  id: string;
  user_id: string;
  fence: number;
  type: TaskType;
  payload: Record<string, unknown>;
  sealed: string | null;
  host_id: string;
  terminal_id: string;
  platform: WantedTerminal['platform'];
  terminal_status: TerminalStatus;
  server_name: string;
  login: string;
  stored_password: string | null;
}

/** The rows of `delivered`, a common table expression: the tasks with their terminals. */
export const selectDelivered = `select d.id, d.fence, d.type, d.payload, d.sealed, d.host_id, d.terminal_id,
     tm.user_id, tm.platform, tm.status as terminal_status, tm.server_name, tm.login, s.sealed as stored_password
   from delivered d
   join terminals tm on tm.id = d.terminal_id
   left join terminal_secrets s on s.terminal_id = d.terminal_id and s.field = 'password'
     and d.type in (${TaskType.TERMINAL_INSTALL}, ${TaskType.ACCOUNT_LOGIN})
   order by d.seq`;

/**
 * The secrets that the task needs, and no others: those of its payload, else the terminal's stored password.
 * @throws SecretError when they were encrypted with a key that is gone
 */
const openSecrets = (vault: Vault, row: DeliveredRow): Record<string, unknown> => {
  if (row.sealed !== null)
    return JSON.parse(vault.open(row.sealed, `tasks/${row.id}/secrets`)) as Record<string, unknown>;
  const usesStored = row.type === TaskType.TERMINAL_INSTALL || row.type === TaskType.ACCOUNT_LOGIN;
  if (!usesStored || row.stored_password === null) return {};
  return { password: vault.open(row.stored_password, `terminals/${row.terminal_id}/password`) };
};

/**
 * A secret with line breaks would add lines of its own to the next host's files; a host may have reported one before
 * they were refused.
 */
const isDeliverable = (secret: unknown): boolean => typeof secret === 'string' && isSingleLine(secret);

/**
 * A secret that cannot be decrypted must not hold up the other tasks: the attempt goes without it and fails for that
 * reason.
 */
const toSecrets = (vault: Vault, log: Logger, row: DeliveredRow): Record<string, unknown> => {
  try {
    const secrets = openSecrets(vault, row);
    if (Object.values(secrets).every(isDeliverable)) return secrets;
    log.error({ taskId: row.id }, 'a stored secret of several lines is not delivered');
    return {};
  } catch (error) {
    log.error({ err: error, taskId: row.id }, 'a task is delivered without its secrets');
    return {};
  }
};

export const toDeliveredTask = (vault: Vault, log: Logger, row: DeliveredRow): DeliveredTask => ({
  id: row.id,
  fence: row.fence,
  type: row.type,
  terminal: {
    id: row.terminal_id,
    platform: row.platform,
    status: row.terminal_status,
    server_name: row.server_name,
    login: row.login,
  },
  payload: row.payload,
  secrets: toSecrets(vault, log, row),
  running_deadline_ms: taskCatalogue[row.type].runningDeadlineMs,
});
