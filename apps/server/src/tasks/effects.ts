/** What the end of a task means for its terminal, beyond what the host observes by itself. */
import {
  taskCatalogue,
  TaskStatus,
  TaskType,
  TerminalStatus,
  toServiceResult,
  ResultStatus,
  type TaskStep,
} from '@berth/contract';
import type { Queryable } from '../db/database.ts';
import { insertNotifications } from '../notifications/queries.ts';
import type { Vault } from '../secrets/vault.ts';
import type { TerminalChanges } from '../terminals/changes.ts';
import { forgetPassword, storePassword } from '../terminals/secrets.ts';
import { isEnd, type TaskMove } from './outcomes.ts';
import { cancelOpenTasks } from './queries.ts';

/** Types whose end changes their terminal, so that it must be held while the end is written. */
const TYPES_WITH_EFFECT: ReadonlySet<TaskType> = new Set([
  TaskType.TERMINAL_INSTALL,
  TaskType.TERMINAL_DESTROY,
  TaskType.ACCOUNT_LOGIN,
  TaskType.ACCOUNT_LOGOUT,
  TaskType.ACCOUNT_OPEN_DEMO,
]);

export const hasEffect = (type: TaskType): boolean => TYPES_WITH_EFFECT.has(type);

export interface EffectContext {
  tx: Queryable;
  vault: Vault;
  terminals: TerminalChanges;
  now: Date;
}

const lastStep = (move: TaskMove): TaskStep | undefined => move.result?.runner_result.at(-1);

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/;

/**
 * A fact that a host reports about its terminal, held to the rules of the interface: what is too long or has several lines
 * is left out, or it would break an index and reach configuration files later.
 */
const lineOf = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxLength && !CONTROL.test(value) ? value : undefined;

/** As in the contract's terminal. */
const MAX_LOGIN = 64;
const MAX_SERVER_NAME = 128;
const MAX_PATH = 1024;

const applyInstall = ({ terminals }: EffectContext, move: TaskMove): void => {
  const { terminal_id: id } = move.task;
  if (move.to === TaskStatus.COMPLETED) terminals.learn(id, { path: lineOf(lastStep(move)?.data.path, MAX_PATH) });
  else terminals.conclude(id, TerminalStatus.FAILED, lastStep(move)?.message ?? 'The installation failed.');
};

const applyDestroy = async ({ tx, terminals, now }: EffectContext, move: TaskMove): Promise<void> => {
  const { terminal_id: id } = move.task;
  if (move.to !== TaskStatus.COMPLETED) return;
  terminals.conclude(id, TerminalStatus.DESTROYED, null);
  await cancelOpenTasks(
    tx,
    id,
    toServiceResult(ResultStatus.REFUSED, 'cancel', 'E_NOT_RUNNING', 'The terminal was destroyed.', now),
  );
};

const toAccount = (data: Record<string, unknown>) => ({
  login: lineOf(data.login, MAX_LOGIN),
  server_name: lineOf(data.server_name, MAX_SERVER_NAME),
});

/** A login that worked becomes the terminal's own. */
const applyLogin = async ({ tx, vault, terminals }: EffectContext, move: TaskMove): Promise<void> => {
  if (move.to !== TaskStatus.COMPLETED) return;
  const { id, terminal_id: terminalId, sealed } = move.task;
  const data = lastStep(move)?.data ?? {};
  terminals.learn(terminalId, toAccount(data));
  if (sealed === null) return;
  const { password } = JSON.parse(vault.open(sealed, `tasks/${id}/secrets`)) as { password?: string };
  if (password !== undefined) await storePassword(tx, vault, terminalId, password);
};

const applyDemo = async (
  { tx, vault, terminals }: EffectContext,
  move: TaskMove,
  secrets: { password?: string | undefined },
): Promise<void> => {
  const data = lastStep(move)?.data ?? {};
  const account = toAccount(data);
  if (move.to !== TaskStatus.COMPLETED || account.login === undefined) return;
  terminals.learn(move.task.terminal_id, account);
  if (secrets.password !== undefined) await storePassword(tx, vault, move.task.terminal_id, secrets.password);
};

const applyLogout = async ({ tx }: EffectContext, move: TaskMove): Promise<void> => {
  const isForgotten = move.to === TaskStatus.COMPLETED && move.task.payload.forget_password === 1;
  if (isForgotten) await forgetPassword(tx, move.task.terminal_id);
};

const apply = async (
  context: EffectContext,
  move: TaskMove,
  secrets: { password?: string | undefined },
): Promise<void> => {
  if (move.task.type === TaskType.TERMINAL_INSTALL) applyInstall(context, move);
  if (move.task.type === TaskType.TERMINAL_DESTROY) await applyDestroy(context, move);
  if (move.task.type === TaskType.ACCOUNT_LOGIN) await applyLogin(context, move);
  if (move.task.type === TaskType.ACCOUNT_OPEN_DEMO) await applyDemo(context, move, secrets);
  if (move.task.type === TaskType.ACCOUNT_LOGOUT) await applyLogout(context, move);
};

const isFailure = ({ to }: TaskMove): boolean => to === TaskStatus.FAILED || to === TaskStatus.TERMINATED;

/**
 * Applies what ended tasks mean.
 * @param secretsOf what an attempt brought to light, by task id; sealed here, never stored in the clear
 */
export const applyEffects = async (
  context: EffectContext,
  moves: readonly TaskMove[],
  secretsOf: ReadonlyMap<string, { password?: string | undefined }>,
): Promise<void> => {
  const ended = moves.filter(isEnd);
  for (const move of ended) await apply(context, move, secretsOf.get(move.task.id) ?? {});
  const failed = ended.filter(isFailure);
  if (failed.length === 0) return;
  await insertNotifications(
    context.tx,
    failed.map(({ task }) => ({
      userId: task.user_id,
      type: 'TaskFailed',
      id: task.id,
      name: taskCatalogue[task.type].name,
    })),
  );
};
