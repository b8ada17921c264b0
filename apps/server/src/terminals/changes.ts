/** What happens to terminals while tasks run: status, facts learnt from the host, and what their owners are told. */
import {
  canMoveTerminal,
  decideObservation,
  TerminalStatus,
  type NotificationType,
  type ObservableStatus,
  type TradingState,
} from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { insertNotifications } from '../notifications/queries.ts';
import { writeStatement } from './move-statements.ts';

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
  isMoved: boolean;
  isSynced: boolean;
}

/** Statuses of which the owner is notified. A status is not told twice in a row. */
const announcements: Partial<Record<TerminalStatus, NotificationType>> = {
  [TerminalStatus.ACTIVE]: 'TerminalReady',
  [TerminalStatus.DISCONNECTED]: 'TerminalDisconnected',
  [TerminalStatus.LOGIN_FAILED]: 'TerminalLoginFailed',
  [TerminalStatus.FAILED]: 'TerminalFailed',
  [TerminalStatus.DESTROYED]: 'TerminalDestroyed',
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
    this.#drafts = new Map(rows.map((row) => [row.id, { ...row, isMoved: false, isSynced: false }]));
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
    },
  ): boolean {
    const draft = this.#drafts.get(id);
    if (!draft || draft.host_id !== hostId) return false;
    draft.isSynced = true;
    if (observed.path !== undefined) draft.path = observed.path;
    if (observed.trading) Object.assign(draft, observed.trading);
    const next = decideObservation(draft.status, observed.status);
    if (next !== undefined) this.#move(draft, next, observed.reason);
    else if (draft.status === observed.status) draft.status_reason = observed.reason;
    return true;
  }

  /** What the service concludes; a move that the table forbids changes nothing. */
  conclude(id: string, status: TerminalStatus, reason: string | null): void {
    const draft = this.#drafts.get(id);
    if (draft && canMoveTerminal(draft.status, status)) this.#move(draft, status, reason);
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

  #move(draft: TerminalDraft, status: TerminalStatus, reason: string | null): void {
    draft.status = status;
    draft.status_reason = reason;
    draft.isMoved = true;
  }

  /** Writes every change and tells the owners. */
  async write(): Promise<void> {
    const drafts = [...this.#drafts.values()];
    if (drafts.length === 0) return;
    const told = drafts.flatMap((draft) => {
      const type = draft.isMoved && draft.status !== draft.announced_status ? announcements[draft.status] : undefined;
      if (type === undefined) return [];
      draft.announced_status = draft.status;
      return [{ userId: draft.user_id, type, id: draft.id, name: draft.name }];
    });
    await this.#tx.query(writeStatement, [
      drafts.map((draft) => draft.id),
      drafts.map((draft) => draft.status),
      drafts.map((draft) => draft.status_reason),
      drafts.map((draft) => draft.announced_status),
      drafts.map((draft) => draft.server_name),
      drafts.map((draft) => draft.login),
      drafts.map((draft) => draft.path),
      drafts.map((draft) => draft.isMoved),
      drafts.map((draft) => draft.isSynced),
      drafts.map((draft) => draft.trading_allowed),
      drafts.map((draft) => draft.trading_reason),
    ]);
    if (told.length > 0) await insertNotifications(this.#tx, told);
  }
}
