/**
 * Sends accounts to the server: a state at most once a second and terminal, many terminals in one call; deals as soon as
 * they are there, each page after the one that the server has. Only the newest state matters, and deals wait in their
 * terminals, so nothing piles up while the server is away.
 */
import type { DealCursor, ReportedAccount } from '@berth/contract/agent';
import {
  ACCOUNT_CURRENT_MS,
  ACCOUNT_MS,
  MAX_ACCOUNTS_REPORTED,
  MAX_TICK_AGE_MS,
  toBoundedPositions,
} from '@berth/contract/values';
import type { Logger, Timing } from '@berth/kit';
import type { ServerCalls } from '../server/server-calls.ts';
import { isKind } from '../server/server-error.ts';
import type { AccountWatch } from './account-watch.ts';
import type { WrittenAccount } from './exchange-files.ts';
import { toAgeMs, type WatchedAccount } from './watched-account.ts';

/** Per call: the server accepts a megabyte. */
const MAX_CALL_BYTES = 768 * 1024;
/** After a failed call. */
const PAUSE_MS = 3_000;
/** How often the server is asked again for a cursor, or to take deals that it refused. */
const REPEAT_MS = 10_000;

interface Progress {
  /** Of the account that the rest is about. */
  account: string;
  sentSequence: number;
  sentAtMs: number;
  /** How far the server has the deals; undefined: not known yet. */
  cursor: { after: string | null } | undefined;
  /** The last page that was sent, and when. */
  sentPage: string;
  sentPageAtMs: number;
}

interface Entry {
  account: WatchedAccount;
  progress: Progress;
  reported: ReportedAccount;
  page: string | undefined;
  sizeBytes: number;
}

/** What owners see of what risk rules need. The age is between two times of the terminal, whatever its clock says. */
const toFacts = ({ at, risk }: WrittenAccount) => {
  if (!risk) return {};
  const { connected, last_tick_at: tickedAt } = risk;
  const ageMs = tickedAt === null ? null : Math.max(0, Date.parse(at) - Date.parse(tickedAt));
  return { connected, tick_age_ms: ageMs === null ? null : Math.min(ageMs, MAX_TICK_AGE_MS) };
};

export interface AccountReporterOptions {
  watch: AccountWatch;
  server: Pick<ServerCalls, 'sendAccounts'>;
  log: Logger;
}

export class AccountReporter {
  readonly #options: AccountReporterOptions;
  readonly #progress = new Map<string, Progress>();
  #pausedUntilMs = 0;

  constructor(options: AccountReporterOptions) {
    this.#options = options;
  }

  /** Sends what is due. Terminals that do not fit into a call come first in the next one. */
  async reportNews(signal: AbortSignal): Promise<void> {
    const { watch } = this.#options;
    if (watch.clocks.elapsedMs() < this.#pausedUntilMs) return;
    const accounts = watch.list();
    const ids = new Set(accounts.map(({ terminalId }) => terminalId));
    for (const id of this.#progress.keys()) if (!ids.has(id)) this.#progress.delete(id);
    let call: Entry[] = [];
    let sizeBytes = 0;
    for (const account of accounts) {
      const entry = this.#toEntry(account);
      if (!entry) continue;
      if (call.length === MAX_ACCOUNTS_REPORTED || sizeBytes + entry.sizeBytes > MAX_CALL_BYTES) {
        await this.#send(call, signal);
        [call, sizeBytes] = [[], 0];
      }
      call.push(entry);
      sizeBytes += entry.sizeBytes;
    }
    if (call.length > 0) await this.#send(call, signal);
  }

  #getProgress({ terminalId, seen }: WatchedAccount): Progress {
    const account = `${seen?.state.login}\n${seen?.state.server}`;
    const known = this.#progress.get(terminalId);
    if (known?.account === account) return known;
    const fresh = { account, sentSequence: -1, sentAtMs: -Infinity, cursor: undefined, sentPage: '', sentPageAtMs: 0 };
    this.#progress.set(terminalId, fresh);
    return fresh;
  }

  #toEntry(account: WatchedAccount): Entry | undefined {
    const { seen } = account;
    if (!seen) return undefined;
    const { login, server } = seen.state;
    const progress = this.#getProgress(account);
    const state = this.#toState(account, progress);
    const deals = this.#toDeals(account, progress);
    if (!state && !deals) return undefined;
    const reported = {
      terminal_id: account.terminalId,
      login,
      server,
      ...(state ? { state } : {}),
      ...(deals ? { deals: deals.page } : {}),
    };
    const sizeBytes = Buffer.byteLength(JSON.stringify(reported)) + 1;
    return { account, progress, reported, page: deals?.key, sizeBytes };
  }

  /** The newest state, if the server does not have it, and it is time, and it is young enough to be of use. */
  #toState({ seen }: WatchedAccount, { sentSequence, sentAtMs }: Progress): ReportedAccount['state'] {
    const elapsedMs = this.#options.watch.clocks.elapsedMs();
    if (!seen || seen.state.sequence === sentSequence || elapsedMs - sentAtMs < ACCOUNT_MS) return undefined;
    const ageMs = Math.round(toAgeMs(seen, elapsedMs));
    if (ageMs > ACCOUNT_CURRENT_MS) return undefined;
    const { login: _login, server: _server, risk: _risk, positions, orders, ...state } = seen.state;
    return { ...state, ...toFacts(seen.state), age_ms: ageMs, ...toBoundedPositions(positions, orders) };
  }

  /** The page of deals after the server's cursor, if there is one that it was not just sent. */
  #toDeals(account: WatchedAccount, { cursor, sentPage, sentPageAtMs }: Progress) {
    const page = cursor && account.findDeals(cursor.after);
    if (!page || page.deals.length === 0) return undefined;
    const key = `${page.after} ${page.deals.at(-1)?.ticket}`;
    if (key === sentPage && this.#options.watch.clocks.elapsedMs() - sentPageAtMs < REPEAT_MS) return undefined;
    const { after, deals, is_complete, complete_until } = page;
    return { key, page: { after, deals, is_complete, complete_until } };
  }

  async #send(call: readonly Entry[], signal: AbortSignal): Promise<void> {
    const { server, watch, log } = this.#options;
    if (signal.aborted) return;
    const elapsedMs = watch.clocks.elapsedMs();
    const note = ({ progress, reported, page }: Entry): void => {
      if (reported.state) Object.assign(progress, { sentSequence: reported.state.sequence, sentAtMs: elapsedMs });
      if (page !== undefined) Object.assign(progress, { sentPage: page, sentPageAtMs: elapsedMs });
    };
    try {
      const answer = await server.sendAccounts(
        call.map(({ reported }) => reported),
        signal,
      );
      const tooSoon = new Set(answer.too_soon);
      const refused = new Map(answer.refused.map(({ terminal_id: id, reason }) => [id, reason]));
      const cursors = new Map(answer.cursors.map((cursor) => [cursor.terminal_id, cursor]));
      for (const entry of call) {
        const id = entry.account.terminalId;
        note(entry);
        if (tooSoon.has(id)) entry.progress.sentSequence = -1;
        const reason = refused.get(id);
        if (reason) log.debug({ terminal_id: id, reason }, 'the server did not take all of an account');
        await this.#takeCursor(entry, cursors.get(id), reason !== undefined || tooSoon.has(id));
      }
    } catch (error) {
      // The heartbeat gets a fatal answer as well, which ends the service.
      log.debug({ err: error }, 'accounts were not reported');
      // What the server refuses now, it would refuse again.
      if (isKind(error, 'refused')) call.forEach(note);
      else this.#pausedUntilMs = watch.clocks.elapsedMs() + PAUSE_MS;
    }
  }

  /** Without a word about the deals of a state that was taken, the server has them all. */
  async #takeCursor(
    { account, progress, reported }: Entry,
    answered: DealCursor | undefined,
    wasRefused: boolean,
  ): Promise<void> {
    if (answered) progress.cursor = { after: answered.last_ticket };
    else if (reported.state && !wasRefused) progress.cursor = { after: reported.state.last_deal };
    const exchange = progress.cursor && this.#options.watch.findExchange(account.terminalId);
    if (!progress.cursor || !exchange) return;
    try {
      await account.requestDeals(exchange, progress.cursor.after);
    } catch (error) {
      this.#options.log.debug({ err: error, terminal_id: account.terminalId }, 'deals could not be asked for');
    }
  }
}

/** Reports every `intervalMs` what is due. Resolves when the signal aborts. */
export const runAccountReports = async (
  reporter: AccountReporter,
  { intervalMs, timing }: { intervalMs: number; timing: Timing },
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    await reporter.reportNews(signal);
    await timing.sleep(intervalMs, signal);
  }
};
