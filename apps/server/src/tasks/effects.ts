/** What the end of a task changes about its terminal, beyond what the host observes by itself. */
import {
  isSingleLine,
  TaskStatus,
  TaskType,
  TerminalStatus,
  toServiceResult,
  ResultStatus,
  type TaskStep,
  type TradingState,
} from '@berth/contract';
import type { Transaction } from '../db/database.ts';
import { noteScreenshots, type TakenScreenshot } from '../screenshots/queries.ts';
import type { Vault } from '../secrets/vault.ts';
import { noteSetupTasks, type EndedSetupTask } from '../snapshots/noting.ts';
import { setupTypes } from '../snapshots/setup.ts';
import type { TerminalChanges } from '../terminals/changes.ts';
import { forgetPassword, storePassword } from '../terminals/secrets.ts';
import type { TaskEnds } from './ends.ts';
import { stopIfHeld } from './installed.ts';
import { isEnd, type TaskTransition } from './outcomes.ts';
import { resumeTrading } from './resumed.ts';
import { noteSwitched } from './switched.ts';
import { cancelOpenStatement } from './transitions.ts';
import { giveUpInstallations } from './uninstalled.ts';

/** Types whose end changes their terminal, whose row must be locked while the end is written. */
const TYPES_WITH_EFFECT: ReadonlySet<TaskType> = new Set([
  TaskType.TERMINAL_INSTALL,
  TaskType.TERMINAL_DESTROY,
  // A move goes on with it (`leaveHosts`).
  TaskType.TERMINAL_STOP,
  TaskType.ACCOUNT_LOGIN,
  TaskType.ACCOUNT_LOGOUT,
  TaskType.ACCOUNT_OPEN_DEMO,
  ...setupTypes,
]);

export const hasEffect = (type: TaskType): boolean => TYPES_WITH_EFFECT.has(type);

export interface EffectContext {
  tx: Transaction;
  vault: Vault;
  ends: TaskEnds;
  terminals: TerminalChanges;
  now: Date;
}

const lastStep = (transition: TaskTransition): TaskStep | undefined => transition.result?.runner_result.at(-1);

/** Tasks whose success shows that nothing of their terminal runs on their host. */
export const listProofs = (transitions: readonly TaskTransition[]): string[] =>
  transitions
    .filter(({ to }) => to === TaskStatus.COMPLETED)
    .filter(({ task: { type } }) => type === TaskType.TERMINAL_STOP || type === TaskType.TERMINAL_DESTROY)
    .map(({ task }) => task.id);

/** A fact of a step; it has already been validated against the contract: see `reported-steps.ts`. */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const applyInstall = async (context: EffectContext, transition: TaskTransition): Promise<void> => {
  const { terminal_id: id } = transition.task;
  const { data, message: reason = 'The installation failed.' } = lastStep(transition) ?? {};
  if (transition.to !== TaskStatus.COMPLETED) return giveUpInstallations(context, [{ id, reason }]);
  context.terminals.learn(id, { path: textOf(data?.path) });
  await stopIfHeld(context.tx, transition.task);
};

const applyDestroy = async ({ tx, ends, terminals, now }: EffectContext, transition: TaskTransition): Promise<void> => {
  const { terminal_id: id } = transition.task;
  // What a move takes from a host lives on elsewhere.
  if (transition.to !== TaskStatus.COMPLETED || terminals.find(id)?.status !== TerminalStatus.DESTROYING) return;
  terminals.conclude(id, TerminalStatus.DESTROYED, null);
  const text = 'The terminal was destroyed.';
  const result = toServiceResult(ResultStatus.REFUSED, 'cancel', 'E_NOT_RUNNING', text, now);
  await ends.end(tx, cancelOpenStatement, [JSON.stringify(result), id]);
};

/**
 * After a successful login, the account becomes the terminal's own: the requested account, whatever the host reports.
 * Otherwise a host could name a server of its own, to which the next host would send the password.
 */
const applyLogin = async ({ tx, vault, terminals }: EffectContext, transition: TaskTransition): Promise<void> => {
  if (transition.to !== TaskStatus.COMPLETED) return;
  const { id, terminal_id: terminalId, sealed, payload } = transition.task;
  terminals.learn(terminalId, { login: textOf(payload.login), server_name: textOf(payload.server_name) });
  if (sealed === null) return;
  const { password } = JSON.parse(vault.open(sealed, `tasks/${id}/secrets`)) as { password?: string };
  if (password !== undefined) await storePassword(tx, vault, terminalId, password);
};

const applyDemo = async (
  { tx, vault, terminals }: EffectContext,
  transition: TaskTransition,
  secrets: { password?: string | undefined },
): Promise<void> => {
  const { terminal_id: terminalId, payload } = transition.task;
  const login = textOf(lastStep(transition)?.data.login);
  if (transition.to !== TaskStatus.COMPLETED || login === undefined) return;
  terminals.learn(terminalId, { login, server_name: textOf(payload.server_name) });
  const { password } = secrets;
  if (password !== undefined && isSingleLine(password)) await storePassword(tx, vault, terminalId, password);
};

const applyLogout = async ({ tx }: EffectContext, transition: TaskTransition): Promise<void> => {
  const isForgotten = transition.to === TaskStatus.COMPLETED && transition.task.payload.forget_password === 1;
  if (isForgotten) await forgetPassword(tx, transition.task.terminal_id);
};

/**
 * The outcome of a change of the Algo Trading switch, successful or not, takes effect at once, without waiting for the
 * host's next report about the terminal. It is ordered among the host's reports, so that a newer one is not
 * overwritten.
 */
export const learnTrading = (terminals: TerminalChanges, transition: TaskTransition): void => {
  if (transition.task.type !== TaskType.OPTIONS_AUTO_TRADE || !isEnd(transition)) return;
  const { trading_allowed: isAllowed, trading_reason: reason = null } = lastStep(transition)?.data ?? {};
  if (typeof isAllowed !== 'boolean' && isAllowed !== null) return;
  const trading = { trading_allowed: isAllowed, trading_reason: reason as TradingState['trading_reason'] };
  terminals.learn(transition.task.terminal_id, { trading });
};

const apply = async (
  context: EffectContext,
  transition: TaskTransition,
  secrets: { password?: string | undefined },
): Promise<void> => {
  if (transition.task.type === TaskType.TERMINAL_INSTALL) await applyInstall(context, transition);
  if (transition.task.type === TaskType.TERMINAL_DESTROY) await applyDestroy(context, transition);
  if (transition.task.type === TaskType.ACCOUNT_LOGIN) await applyLogin(context, transition);
  if (transition.task.type === TaskType.ACCOUNT_OPEN_DEMO) await applyDemo(context, transition, secrets);
  if (transition.task.type === TaskType.ACCOUNT_LOGOUT) await applyLogout(context, transition);
};

const toSetupTask = (transition: TaskTransition): EndedSetupTask => {
  const { id, user_id: userId, terminal_id: terminalId, type, payload } = transition.task;
  return { id, userId, terminalId, type, status: transition.to, payload, chartId: lastStep(transition)?.data.chart_id };
};

/** The file was uploaded by the task's host for this task: see `reported-steps.ts`. */
const toScreenshot = (transition: TaskTransition): TakenScreenshot[] => {
  const { file } = (lastStep(transition)?.data ?? {}) as { file?: { id: string } };
  const isScreenshot = transition.to === TaskStatus.COMPLETED && file !== undefined;
  return isScreenshot ? [{ terminalId: transition.task.terminal_id, fileId: file.id }] : [];
};

/**
 * Applies the effects of ended tasks.
 * @param secretsOf secrets that attempts reported, by task id; encrypted here, never stored in plain text
 */
export const applyEffects = async (
  context: EffectContext,
  transitions: readonly TaskTransition[],
  secretsOf: ReadonlyMap<string, { password?: string | undefined }>,
): Promise<void> => {
  const ended = transitions.filter(isEnd);
  await noteSwitched(context.tx, ended);
  for (const transition of ended) await apply(context, transition, secretsOf.get(transition.task.id) ?? {});
  await noteSetupTasks(context.tx, ended.map(toSetupTask));
  await resumeTrading(context.tx, ended);
  const screenshots = new Map(
    ended.flatMap((transition) => toScreenshot(transition)).map((screenshot) => [screenshot.terminalId, screenshot]),
  );
  if (screenshots.size > 0) await noteScreenshots(context.tx, [...screenshots.values()]);
};
