import { toRecord } from '../../wire/fields.ts';

/** Faults of real terminals that a test or a demonstration can request. */
export interface Faults {
  /** A debugger dialog: the process lives, the journal stays empty, a polite stop is ignored. */
  hang: boolean;
  /** An update arrives: the terminal exits with 0 and comes back under a new process id, without its StartUp expert. */
  liveUpdateAfterMs: number | undefined;
  /** How long the terminal is away for its update. */
  restartMs: number;
  /** The process dies without writing anything. */
  crashAfterMs: number | undefined;
  /** The saved accounts are deleted at the start. */
  wipeAccounts: boolean;
  /** A start without an account opens the wizard, which takes all input. */
  wizard: boolean;
  /** The fixed state of the Algo Trading switch, whatever the button and the files say. */
  algoTrading: boolean | undefined;
  /** The journal contains the state of the Algo Trading switch at the start, as in old builds. */
  switchLine: boolean;
  /** The account, as `login@server`, that the journal names instead of the one that logged in. */
  authorizedAs: { login: string; server: string } | undefined;
  /** How long journal lines wait in memory. */
  flushMs: number;
  /** A line may reach the disk in two pieces. */
  partialLines: boolean;
  /** How long an expert waits for a symbol that the server does not have. */
  symbolTimeoutMs: number;
  /** Interval of the journal's ping lines. */
  pingEveryMs: number;
  /** Set by the updater itself: the delay before the start, and whether to ignore the StartUp section. */
  startDelayMs: number;
  skipStartUp: boolean;
}

const toAccount = (value: unknown): Faults['authorizedAs'] => {
  const [, login, server] = /^(.+)@(.+)$/.exec(typeof value === 'string' ? value : '') ?? [];
  return login === undefined || server === undefined ? undefined : { login, server };
};

/** Reads BERTH_SANDBOX_FAULTS. Throws on text that is no JSON object. */
export const parseFaults = (json: string | undefined): Faults => {
  const fields = toRecord(JSON.parse(json ?? '{}'));
  if (!fields) throw new Error('not a JSON object');
  const findMs = (key: string): number | undefined => {
    const value = fields[key];
    return typeof value === 'number' && value >= 0 ? value : undefined;
  };
  return {
    hang: fields.hang === true,
    liveUpdateAfterMs: findMs('live_update_after_ms'),
    restartMs: findMs('restart_ms') ?? 10_000,
    crashAfterMs: findMs('crash_after_ms'),
    wipeAccounts: fields.wipe_accounts === true,
    wizard: fields.wizard === true,
    algoTrading: typeof fields.algo_trading === 'boolean' ? fields.algo_trading : undefined,
    switchLine: fields.switch_line === true,
    authorizedAs: toAccount(fields.authorized_as),
    flushMs: findMs('flush_ms') ?? 20,
    partialLines: fields.partial_lines === true,
    symbolTimeoutMs: findMs('symbol_timeout_ms') ?? 300_000,
    pingEveryMs: findMs('ping_every_ms') ?? 30_000,
    startDelayMs: findMs('start_delay_ms') ?? 0,
    skipStartUp: fields.skip_start_up === true,
  };
};
