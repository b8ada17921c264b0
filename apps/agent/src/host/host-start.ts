/** The steps by which a host comes up, in the order in which `agent.ts` takes them. */
import type { WantedTerminal } from '@berth/contract/agent';
import { type Logger, untilAborted } from '@berth/kit';
import type { AttemptJournal } from '../attempts/attempt-journal.ts';
import type { AttemptRunner } from '../attempts/attempt-runner.ts';
import type { PlatformRegistry } from '../platforms/driver.ts';
import { repeatUntilAnswered, type RepeatOptions } from '../server/repeat-call.ts';
import { isKind, isRevoked } from '../server/server-error.ts';
import type { Transport } from '../server/server-transport.ts';
import type { TerminalKeeper, TerminalName } from '../terminals/terminal-keeper.ts';
import type { OutcomeSeal } from '../attempts/attempt-end.ts';
import type { FactReporter } from './facts.ts';
import { enrol, findCredential, removeCredentialDrafts, type HostCredential } from './enrolment.ts';
import { decideReconciliation, type Reconciliation } from './reconcile.ts';

export interface CredentialOptions {
  name: string;
  folder: string;
  transport: Transport;
  registry: PlatformRegistry;
  facts: FactReporter;
  /**
   * Called only when the host has no credential, or one that the server does not know. @returns undefined when there is
   * none
   */
  findJoinToken: () => Promise<string | undefined>;
}

/** The host's credential: the stored one, or a new one for the join token. @returns undefined once the signal aborts */
export const ensureCredential = async (
  options: CredentialOptions,
  repeat: RepeatOptions,
): Promise<HostCredential | undefined> => {
  await removeCredentialDrafts(options.folder);
  return (await findCredential(options.folder)) ?? enrolAnew(options, repeat);
};

/**
 * Exchanges the join token for a credential, which replaces the stored one. @returns undefined once the signal aborts
 */
export const enrolAnew = async (
  { name, folder, transport, registry, facts, findJoinToken }: CredentialOptions,
  repeat: RepeatOptions,
): Promise<HostCredential | undefined> => {
  const joinToken = await Promise.race([findJoinToken(), untilAborted(repeat.signal)]);
  if (repeat.signal.aborted) return undefined;
  if (!joinToken) {
    throw new Error(`The host "${name}" is not enrolled. Create a join token and pass it as BERTH_JOIN_TOKEN.`);
  }
  const call = async () => {
    const machine = { platforms: registry.platforms, facts: await facts.refresh() };
    return enrol({ transport, folder, ...machine }, joinToken, repeat.signal);
  };
  try {
    const credential = await repeatUntilAnswered(call, { ...repeat, rejects: ['refused'] });
    if (credential) repeat.log.info({ host_id: credential.hostId }, 'the host is enrolled');
    return credential;
  } catch (error) {
    if (!isKind(error, 'refused') && !isRevoked(error)) throw error;
    throw new Error(
      `The join token of the host "${name}" was refused: it is wrong, used or expired. Create a new one.`,
      { cause: error },
    );
  }
};

/**
 * Opens what is installed and finds the processes that an earlier agent left running, before the server is reached.
 * Terminals that do not run stay down until the server has confirmed that they still belong here.
 */
export const reattachInstalled = async (
  registry: PlatformRegistry,
  keeper: TerminalKeeper,
  log: Logger,
): Promise<TerminalName[]> => {
  const installed = await registry.listInstalled();
  const reattach = async (terminal: TerminalName) => {
    try {
      const isAlive = await (await keeper.open(terminal)).reattach();
      log.info({ terminal_id: terminal.id, is_alive: isAlive }, 'terminal found');
    } catch (error) {
      log.error({ err: error, terminal_id: terminal.id }, 'the terminal could not be opened');
    }
  };
  await Promise.all(installed.map(reattach));
  return installed;
};

export interface ReconcileOptions {
  journal: AttemptJournal;
  keeper: TerminalKeeper;
  runner: AttemptRunner;
  seal: OutcomeSeal;
  now: () => number;
  log: Logger;
}

/** Carries out the decisions of `decideReconciliation`. */
export const reconcile = async (
  found: { installed: TerminalName[]; wanted: WantedTerminal[] },
  options: ReconcileOptions,
): Promise<void> => {
  const actions = decideReconciliation({ attempts: options.journal.ledger.list(), ...found });
  for (const action of actions) await carryOut(action, options);
};

const carryOut = async (action: Reconciliation, options: ReconcileOptions): Promise<void> => {
  const { keeper, runner, seal, now, log } = options;
  switch (action.kind) {
    case 'report': {
      const { attempt, end } = action;
      const secrets = end.sealed === undefined ? undefined : seal.open(attempt, end.sealed);
      if (end.sealed !== undefined && !secrets) log.error({ task_id: attempt.taskId }, 'sealed secrets are unreadable');
      return runner.report(attempt, end, secrets);
    }
    case 'interrupt':
      log.warn({ task_id: action.attempt.taskId, fence: action.attempt.fence }, 'an attempt was interrupted');
      return runner.end(action.attempt, { kind: 'interrupted', atMs: now() });
    case 'miss':
      return log.error(
        { terminal_id: action.terminal.id },
        'the server believes in a terminal that is not on this host',
      );
    case 'stop':
      log.warn({ terminal_id: action.terminal.id }, 'the server no longer wants the terminal here; its folder is kept');
      return keeper.stopAndDrop(action.terminal.id);
    case 'keep':
      return undefined;
  }
};
