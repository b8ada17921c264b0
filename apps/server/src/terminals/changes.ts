/** What happens to terminals while tasks run: status, facts learnt from the host, and what their owners are told. */
import { isDeepStrictEqual } from 'node:util';
import {
  isTerminalTransition,
  decideObservation,
  isSameLogin,
  isSameServerName,
  TerminalStatus,
  type ObservableStatus,
  type ProcessExit,
  type TradingState,
} from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { recordEvents, type Occurrence } from '../events/record.ts';
import { writeStatement } from './transitions.ts';

interface LockedTerminal {
  id: string;
  user_id: string;
  host_id: string | null;
  name: string;
  status: TerminalStatus;
  status_reason: string | null;
  announced_status: TerminalStatus | null;
  server_name: string;
  login: string;
  path: string | null;
  trading_allowed: boolean | null;
  trading_reason: string | null;
}

/** Where the host says nothing new, its report still proves that host and service agree. */
interface TerminalDraft extends LockedTerminal {
  transitions: { from: TerminalStatus; to: TerminalStatus; reason: string | null; exit?: ProcessExit | undefined }[];
  isSynced: boolean;
  /** As it was when it was locked. */
  before: Readonly<LockedTerminal>;
}

const isUnchanged = ({ isSynced, transitions, before, ...now }: TerminalDraft): boolean =>
  !isSynced && transitions.length === 0 && isDeepStrictEqual(now, { ...before });

/** Statuses that are announced to the owner, none of them twice in a row. */
const announced: ReadonlySet<TerminalStatus> = new Set([
  TerminalStatus.ACTIVE,
  TerminalStatus.DISCONNECTED,
  TerminalStatus.LOGIN_FAILED,
  TerminalStatus.FAILED,
  TerminalStatus.DESTROYED,
]);

/** The transitions of a terminal, of which the last one may be news to its owner. */
const toOccurrences = ({ id, user_id: userId, name, transitions }: TerminalDraft, isNews: boolean): Occurrence[] =>
  transitions.flatMap(({ from, to, reason, exit }, index): Occurrence[] => {
    const about = { userId, terminalId: id, isQuiet: !isNews || index < transitions.length - 1 };
    const data = { name, from, to, reason, ...(exit ? { exit } : {}) };
    const changed: Occurrence = { ...about, type: 'terminal.status_changed', data };
    if (to !== TerminalStatus.LOGIN_FAILED) return [changed];
    return [changed, { ...about, type: 'terminal.login_failed', data: { name, reason } }];
  });

const toSwitched = (draft: TerminalDraft): Occurrence[] => {
  const { id: terminalId, user_id: userId, name, trading_allowed, trading_reason, before } = draft;
  if (before.trading_allowed === null || trading_allowed === null || trading_allowed === before.trading_allowed) {
    return [];
  }
  return [{ type: 'trading.switched', userId, terminalId, data: { name, trading_allowed, trading_reason } }];
};

const toOtherAccount = ({
  id: terminalId,
  user_id: userId,
  name,
  login,
  server_name,
  before,
}: TerminalDraft): Occurrence[] =>
  isSameLogin(login, before.login) && isSameServerName(server_name, before.server_name)
    ? []
    : [{ type: 'terminal.other_account', userId, terminalId, data: { name, login, server_name } }];

/** A change of a terminal's status by a statement that changes many. */
export interface TerminalTransition {
  id: string;
  user_id: string;
  name: string;
  from_status: TerminalStatus | null;
  status: TerminalStatus;
  status_reason: string | null;
}

/** Records what a statement did to terminals, those left out whose status it did not change. */
export const noteTransitions = async (tx: Queryable, terminals: readonly TerminalTransition[]): Promise<void> => {
  const changed = terminals.filter(({ from_status: from, status }) => from !== status);
  const toOccurrence = ({ id, user_id: userId, name, ...row }: TerminalTransition): Occurrence => ({
    ...{ type: 'terminal.status_changed', userId, terminalId: id },
    data: { name, from: row.from_status, to: row.status, reason: row.status_reason },
  });
  await recordEvents(tx, changed.map(toOccurrence));
};

const lockStatement = sql(
  'lock_terminals',
  `select id, user_id, host_id, name, status, status_reason, announced_status, server_name, login, path,
     trading_allowed, trading_reason
   from terminals where id = any($1::uuid[]) and deleted_at is null order by id for update`,
);

/** Collects the changes of one transaction, then writes them in one statement. */
export class TerminalChanges {
  readonly #tx: Queryable;
  readonly #drafts: Map<string, TerminalDraft>;

  private constructor(tx: Queryable, rows: LockedTerminal[]) {
    this.#tx = tx;
    this.#drafts = new Map(rows.map((row) => [row.id, { ...row, transitions: [], isSynced: false, before: row }]));
  }

  /** Reads terminals and holds them until the transaction ends. Call it after the tasks were locked. */
  static async lock(tx: Queryable, ids: Iterable<string>): Promise<TerminalChanges> {
    const unique = [...new Set(ids)];
    const rows = unique.length === 0 ? [] : await tx.query<LockedTerminal>(lockStatement, [unique]);
    return new TerminalChanges(tx, rows);
  }

  find(id: string): Readonly<LockedTerminal> | undefined {
    return this.#drafts.get(id);
  }

  /** What the host sees. @returns false when the terminal is not (or no longer) on that host */
  observe(
    hostId: string,
    id: string,
    observed: {
      status: ObservableStatus;
      reason: string | null;
      path?: string | undefined;
      trading?: TradingState | undefined;
      /** How its program ended, where it is not running although it should. */
      exit?: ProcessExit | undefined;
    },
  ): boolean {
    const draft = this.#drafts.get(id);
    if (!draft || draft.host_id !== hostId) return false;
    draft.isSynced = true;
    if (observed.path !== undefined) draft.path = observed.path;
    if (observed.trading) Object.assign(draft, observed.trading);
    const next = decideObservation(draft.status, observed.status);
    if (next !== undefined) this.#transition(draft, next, observed.reason, observed.exit);
    else if (draft.status === observed.status) draft.status_reason = observed.reason;
    return true;
  }

  /** What the service concludes; a transition that the table forbids changes nothing. */
  conclude(id: string, status: TerminalStatus, reason: string | null): void {
    const draft = this.#drafts.get(id);
    if (draft && isTerminalTransition(draft.status, status)) this.#transition(draft, status, reason);
  }

  /**
   * The installation came to nothing. A terminal that its host has for all that, because only the login failed, stays as it is.
   * @returns whether it is installed nowhere, so that no task can be carried out on it; what is UNREACHABLE stays so for its
   *   owner, but was never installed either
   */
  giveUpInstallation(id: string, reason: string): boolean {
    this.conclude(id, TerminalStatus.FAILED, reason);
    const draft = this.#drafts.get(id);
    return (
      draft?.status === TerminalStatus.FAILED || (draft?.status === TerminalStatus.UNREACHABLE && draft.path === null)
    );
  }

  /** Facts that a finished task brought: only those given change. */
  learn(
    id: string,
    facts: {
      login?: string | undefined;
      server_name?: string | undefined;
      path?: string | undefined;
      trading?: TradingState;
    },
  ): void {
    const draft = this.#drafts.get(id);
    if (!draft) return;
    draft.login = facts.login ?? draft.login;
    draft.server_name = facts.server_name ?? draft.server_name;
    draft.path = facts.path ?? draft.path;
    if (facts.trading) Object.assign(draft, facts.trading);
  }

  #transition(draft: TerminalDraft, status: TerminalStatus, reason: string | null, exit?: ProcessExit): void {
    draft.transitions.push({ from: draft.status, to: status, reason, exit });
    draft.status = status;
    draft.status_reason = reason;
  }

  /** Writes every change, and records what happened. */
  async write(): Promise<void> {
    const drafts = [...this.#drafts.values()].filter((draft) => !isUnchanged(draft));
    if (drafts.length === 0) return;
    const occurrences = drafts.flatMap((draft) => {
      const { status, transitions } = draft;
      const isNews = transitions.length > 0 && announced.has(status) && status !== draft.announced_status;
      if (isNews) draft.announced_status = status;
      return [...toOccurrences(draft, isNews), ...toSwitched(draft), ...toOtherAccount(draft)];
    });
    await this.#tx.query(writeStatement, [
      drafts.map((draft) => draft.id),
      drafts.map((draft) => draft.status),
      drafts.map((draft) => draft.status_reason),
      drafts.map((draft) => draft.announced_status),
      drafts.map((draft) => draft.server_name),
      drafts.map((draft) => draft.login),
      drafts.map((draft) => draft.path),
      drafts.map((draft) => draft.transitions.length > 0),
      drafts.map((draft) => draft.isSynced),
      drafts.map((draft) => draft.trading_allowed),
      drafts.map((draft) => draft.trading_reason),
    ]);
    await recordEvents(this.#tx, occurrences);
  }
}
