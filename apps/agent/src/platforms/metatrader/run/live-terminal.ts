import type { Logger } from '@berth/kit';
import type { Box, Launcher, ProcessHandle, Processes, Screen } from '../../../launchers/launcher.ts';
import type { Edition, MainWindow } from '../edition.ts';
import type { TerminalHome } from '../home.ts';
import type { JournalEvent } from '../journal/journal-events.ts';
import type { RecordFile } from '../record.ts';
import type { Obstacle } from '../step-failure.ts';
import { toTerminalObservation, type Observations } from './observations.ts';
import { ForeignAccount } from './foreign-account.ts';
import { JournalWatch } from './journal-watch.ts';
import { LinkHold } from './link-hold.ts';
import { isOfAnother, OwnAccounts, toOwnLogin } from './own-account.ts';
import { ProcessWatch } from './process-watch.ts';
import { SilenceTimer } from './silence-timer.ts';
import { findHostObstacle, startProgram } from './start-program.ts';
import { StartPreparation, type LaunchOptions } from './start-preparation.ts';
import { toStartFailure, waitForWindow } from './start-proof.ts';
import { applyEvent, createView, SILENT, toSettleMs, type TerminalView } from './terminal-view.ts';
import { toTradingState } from './trading.ts';
import { ViewWaiters, type WaitOptions } from './view-waiters.ts';
import { findObstacle, DialogWatch } from './dialogs.ts';
import { countCharts } from './expert-roster.ts';

export interface LiveTerminalOptions {
  home: TerminalHome;
  box: Box;
  edition: Edition;
  launcher: Launcher;
  window: MainWindow;
  record: RecordFile;
  observations: Observations;
  log: Logger;
}

/**
 * The running terminal: its process, its journal and what both show. It is started and stopped only here. Calls of
 * `launch`, `stop` and `reattach` must not overlap; everything else may be called at any time.
 */
export class LiveTerminal {
  readonly accounts: OwnAccounts;
  readonly starts: StartPreparation;
  readonly #options: LiveTerminalOptions;
  readonly #waiters = new ViewWaiters(() => ({ view: this.view, isAlive: this.isAlive() }));
  readonly #processes: Processes;
  readonly #screen: Screen;
  readonly #process: ProcessWatch;
  #view: TerminalView = createView({ state: 'none' });
  readonly #dialogs: DialogWatch;
  readonly #silence: SilenceTimer;
  readonly #journal: JournalWatch;
  readonly #foreignAccount: ForeignAccount;
  readonly #linkHold: LinkHold;
  /** True from before a stop until the next start: what the terminal writes while it closes is ignored. */
  #isStopping = false;
  #switchAtStart: boolean | null = null;
  /** False for a process that we did not start: if it has no account it then writes nothing, whatever its server. */
  #broughtLogin = false;
  #pinnedBuild: number | null = null;
  /** The obstacle to the last start, if that failed. */
  #obstacle: Obstacle | undefined;

  constructor(options: LiveTerminalOptions) {
    this.#options = options;
    this.starts = new StartPreparation(options);
    this.accounts = new OwnAccounts(options.record);
    const { box, edition, home, launcher, window, log } = options;
    this.#processes = launcher.processes(box, edition.toProgram(home.root));
    this.#screen = launcher.screen(box);
    const silenceMs = edition.timing.loginSilenceMs;
    this.#silence = new SilenceTimer({ silenceMs, onSilence: () => this.#noteSilence(), log });
    this.#journal = new JournalWatch({ home, edition, onEvents: (events) => this.#takeEvents(events), log });
    const [catchUp, onEnd] = [() => this.#journal.catchUp(), () => this.#publish()];
    this.#linkHold = new LinkHold({ ...options, catchUp, onEnd });
    this.#dialogs = new DialogWatch({ window, onChange: () => this.#publish(), log });
    this.#foreignAccount = new ForeignAccount({ ...options, live: this, processes: this.#processes });
    this.#process = new ProcessWatch({
      processes: this.#processes,
      getSettleMs: () => this.#journal.catchUp().then(() => toSettleMs(this.#view, edition.timing)),
      onSuccessor: (handle) => {
        this.#broughtLogin = false;
        this.#remember({ process: handle });
      },
      onDeath: () => this.#noteDeath(),
      onTrouble: (error) => log.warn({ err: error }, 'cannot tell whether the terminal runs; asking again'),
    });
  }

  /** Whether EAs may trade now. @param isExpertAllowed the permission of a particular EA, if any */
  getTrading(isExpertAllowed?: boolean) {
    return toTradingState({ isSwitchOn: this.algoTrading, account: this.#view.accountTrading, isExpertAllowed });
  }

  /** The Algo Trading button by the journal, else by the start: newer builds write only when it is pressed. */
  get algoTrading(): boolean | null {
    return this.#view.algoTrading ?? (this.#view.skippedBytes > 0 ? null : this.#switchAtStart);
  }

  /** The state according to the journal, from the point of view of the terminal's own account. */
  get view(): TerminalView {
    return { ...this.#view, login: toOwnLogin(this.#view.login, this.accounts.get()) };
  }

  isAlive = (): boolean => this.#process.isAlive;

  /** The running process, unless it is being stopped. */
  findProcess = (): ProcessHandle | null =>
    this.isAlive() && !this.#isStopping ? this.#options.record.get().process : null;

  /**
   * Starts the terminal and waits for `started for` and a window; the login continues by itself. Throws E_NOT_RUNNING
   * when it does not come up, E_MEMORY and E_DISK where the host lacks them.
   */
  async launch(options: LaunchOptions = {}): Promise<void> {
    const { record } = this.#options;
    await this.stop();
    const { args, firstLogin, account } = await this.starts.prepare(options);
    this.accounts.begin(options.credentials && account);
    this.#switchAtStart = record.get().allowsAlgoTrading;
    this.#broughtLogin = account !== undefined;
    await this.#journal.followFromNow();
    this.#view = createView(firstLogin, await countCharts(this.#options.home.profile));
    this.#isStopping = false;
    const handle = await this.#start(args, options.signal);
    await this.#adopt(handle);
    await record.update({ process: handle });
    await this.#waitForStart(options.signal);
    // Not earlier: a terminal that never came up must not be kept running.
    if (!record.get().shouldRun) await record.update({ shouldRun: true, isStopped: false });
  }

  /** Waits until the view fulfils the condition. @returns false on timeout. Throws when the terminal ended. */
  waitUntil(condition: (view: TerminalView) => boolean, options: WaitOptions): Promise<boolean> {
    this.#journal.setBusy(true);
    return this.#waiters.wait(condition, options).finally(() => this.#journal.setBusy(this.#waiters.size > 0));
  }

  /** Stops the terminal: cleanly, so that it saves its charts, or by force. Does nothing when it does not run. */
  async stop(): Promise<void> {
    const { edition, record } = this.#options;
    this.#isStopping = true;
    this.#silence.stop();
    this.#dialogs.stop();
    try {
      await this.#process.stop(edition.timing.politeStopMs);
    } catch (error) {
      this.#isStopping = false;
      throw error;
    }
    // Its last lines belong to this run; the next run's view must not get them.
    await this.#journal.catchUp();
    await this.starts.removeStartFile();
    if (record.get().process !== null) await record.update({ process: null });
    this.#waiters.check();
  }

  /** Finds the process of an earlier run of this program. @returns whether there is one */
  async reattach(): Promise<boolean> {
    const { home, record } = this.#options;
    const known = record.get().process;
    const handle = known && (await this.#processes.isRunning(known)) ? known : await this.#processes.find();
    if (!handle) {
      await this.starts.removeStartFile();
      this.#publish();
      return false;
    }
    // First: what is known of its account, and the rules that guard it, need no journal.
    await this.#adopt(handle);
    this.#broughtLogin = false;
    this.#switchAtStart = await home.options.findAlgoTrading();
    if (handle !== known) await record.update({ process: handle });
    this.#view = createView({ state: 'connecting', hasPassword: true }, await countCharts(home.profile));
    this.#silence.start();
    this.#takeEvents(await this.#journal.followFromStart());
    return true;
  }

  /** Updates the observation after changes of the accounts or the record, which cause no line in the journal. */
  refresh(): void {
    this.#publish();
    this.#waiters.check();
  }

  /** Asks it to end, in order to be started again from outside; its status stays until then. */
  closeForRestart(process: ProcessHandle): Promise<void> {
    this.#process.expectEnd();
    return this.#processes.close(process);
  }

  /** Resolves when the effects of a login are on disk: the account saved, the password removed from the start file. */
  async settleLogin(): Promise<void> {
    await Promise.all([this.starts.flush(), this.#options.record.flush()]);
  }

  /** Releases everything except the process itself. */
  detach(): void {
    this.#process.detach();
    this.#dialogs.stop();
    this.#journal.close();
    this.#silence.stop();
    this.#linkHold.stop();
  }

  async #adopt(handle: ProcessHandle): Promise<void> {
    this.#process.adopt(handle);
    this.#dialogs.start();
    this.#pinnedBuild = await this.#options.edition.findPinnedBuild(this.#options.box);
  }

  /** A failed start leaves no password behind. */
  async #start(args: string[], signal: AbortSignal | undefined): Promise<ProcessHandle> {
    try {
      signal?.throwIfAborted();
      return await startProgram(this.#options, { processes: this.#processes, screen: this.#screen, args });
    } catch (error) {
      await this.starts.removeStartFile();
      this.#obstacle = findHostObstacle(error);
      this.#publish();
      throw error;
    }
  }

  async #waitForStart(signal: AbortSignal | undefined): Promise<void> {
    const { startMs } = this.#options.edition.timing;
    const wait = { deadlineMs: performance.now() + startMs, signal, isAlive: this.isAlive };
    const isUp = (view: TerminalView) => view.build !== null || view.configError !== null;
    const hasSpoken = await this.waitUntil(isUp, { timeoutMs: startMs, ...(signal ? { signal } : {}) });
    this.#obstacle = undefined;
    if (hasSpoken && this.#view.configError === null && (await waitForWindow(this.#screen, wait))) return;
    const failure = toStartFailure(this.#view, startMs);
    this.#obstacle = failure.obstacle = await findObstacle(this.#options.window);
    await this.stop();
    this.#isStopping = false;
    this.#publish();
    throw failure;
  }

  #takeEvents(events: readonly JournalEvent[]): void {
    const before = this.#view.login;
    for (const event of events)
      if (!isOfAnother(event, this.accounts.get())) this.#view = applyEvent(this.#view, event);
    const { login } = this.view;
    if (events.some((event) => event.kind === 'started')) this.#silence.start();
    const account = login.state === 'in' ? this.accounts.takeLoggedIn(login.server) : undefined;
    if (account) this.#remember({ account });
    if (this.#view.login !== before && login.state !== 'connecting') this.starts.noteLogin(login);
    if (login.state === 'lacking') void this.#bringAccount();
    this.#foreignAccount.check();
    this.refresh();
  }

  async #noteSilence(): Promise<void> {
    await this.#journal.catchUp();
    if (this.#view.login.state !== 'connecting' || (await this.#bringAccount())) return;
    if (this.#view.login.state !== 'connecting' || !this.findProcess()) return;
    this.#view = { ...this.#view, login: SILENT };
    this.starts.noteLogin(SILENT);
    this.refresh();
  }

  /**
   * A terminal that restarted itself has only the account it saved, which may be none. It is ended, and restarted from
   * outside with its account. @returns whether it was
   */
  async #bringAccount(): Promise<boolean> {
    if (this.#broughtLogin || !(await this.starts.isAccountKept())) return false;
    const process = this.findProcess();
    return process !== null && this.closeForRestart(process).then(() => true);
  }

  #noteDeath(): void {
    this.#silence.stop();
    this.starts.retireStartFile();
    this.#remember({ process: null });
    this.refresh();
  }

  /** Records a change without waiting for the disk. If it is lost, the next agent finds the process by its folder. */
  #remember(changes: Parameters<RecordFile['update']>[0]): void {
    this.#options.record.update(changes).catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'the record of a terminal could not be written');
    });
  }

  #publish(): void {
    const { home, record } = this.#options;
    const { isInstalled, shouldRun, isStopped = false } = record.get();
    if (!isInstalled || (this.#isStopping && (this.isAlive() || shouldRun))) return;
    if (this.#process.isEndExpected && shouldRun && !this.isAlive()) return;
    const process = { isAlive: this.isAlive(), ended: this.#process.ended, shouldRun, isStopped };
    const observation = toTerminalObservation({
      ...{ ...process, path: home.root, view: this.view },
      trading: this.getTrading(),
      pinnedBuild: this.#pinnedBuild,
      dialogs: this.#dialogs.dialogs,
      obstacle: this.#obstacle,
    });
    if (observation) this.#linkHold.take(observation, this.isAlive());
  }
}
